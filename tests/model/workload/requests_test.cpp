// What a user may ask for, and what is refused.
#include <catch2/catch.hpp>
#include <limits>
#include <string>

#include "sim/base/error.h"
#include "tests/model/workload/model_queries.h"

using namespace dsim;
using namespace dsim::testing;

TEST_CASE("models are found by name and by what people call them") {
  CHECK(model_kind("bert").name == "bert-large");
  CHECK(model_kind("resnet50").name == "resnet-50");
  CHECK(model_kind("gpt2-small").name == "gpt2");
  CHECK(model_kind("llama3.1-8b").name == "llama3-8b");
  CHECK(model_kind("GPT3").name == "gpt3-175b");
}

TEST_CASE("an unknown model names the nearest known one") {
  CHECK_THROWS_AS(model_kind("bert-larg"), InputError);
  CHECK_THROWS_WITH(model_kind("bert-larg"), Catch::Contains("bert-large"));
}

TEST_CASE("zero means the model's own default") {
  const Model model = build("bert");
  CHECK(model.samples == 32);
  CHECK(model.tokens_per_sample == 512);
  CHECK(model.sample_unit == "sequences");
  CHECK(build("resnet-50").samples == 256);
  CHECK(build("resnet-50").tokens_per_sample == 0);
  CHECK(build("resnet-50").sample_unit == "images");
}

TEST_CASE("micro-batches out of range are refused with the range") {
  const std::int64_t batch =
      GENERATE(std::int64_t{-1}, (std::int64_t{1} << 20) + 1,
               std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min());
  CHECK_THROWS_AS(build("bert", {batch}), InputError);
  CHECK_THROWS_WITH(build("resnet-18", {batch}), Catch::Contains("1 to 1048576"));
}

TEST_CASE("the largest micro-batch and the shortest sequence are still models") {
  CHECK(build("gpt2", {std::int64_t{1} << 20}).model_flops > 0);
  CHECK(build("bert-base", {1, 1}).model_flops > 0);
}

TEST_CASE("a sequence beyond the position table is refused with the limit") {
  CHECK_THROWS_WITH(build("bert-base", {1, 513}), Catch::Contains("512"));
  CHECK_THROWS_WITH(build("gpt2-xl", {1, 1025}), Catch::Contains("1024"));
  CHECK_THROWS_AS(build("gpt2", {1, -5}), InputError);
  CHECK_NOTHROW(build("bert-base", {1, 512}));
  CHECK_NOTHROW(build("gpt2", {1, 1024}));
}

TEST_CASE("images have no sequence, and convolutions no fp8") {
  CHECK_THROWS_AS(build("resnet-50", {1, 128}), InputError);
  CHECK_THROWS_WITH(build("resnet-50", {1, 0, Precision::fp8}), Catch::Contains("fp8"));
}

TEST_CASE("precisions and fusions are read by name") {
  CHECK(precision_from("bf16") == Precision::bf16);
  CHECK(fusion_from(name_of(Fusion::compile)) == Fusion::compile);
  CHECK_THROWS_WITH(precision_from("bf61"), Catch::Contains("bf16"));
  CHECK_THROWS_AS(fusion_from("triton"), InputError);
  CHECK(element_bytes(Precision::tf32) == 4);
  CHECK(element_bytes(Precision::fp8) == 1);
  CHECK(activation_bytes(Precision::fp8) == 2);
}
