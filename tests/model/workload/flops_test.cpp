// FLOPs against published totals and closed forms.
#include <catch2/catch.hpp>
#include <string>

#include "model/workload/bert.h"
#include "model/workload/transformer/config.h"
#include "tests/model/workload/model_queries.h"

using namespace dsim;
using namespace dsim::testing;

namespace {

/// Forward FLOPs of transformer layers without causal mask: 24 T h^2 + 4 T s h a layer
/// (Narayanan et al. 2021, arXiv:2104.04473, appendix).
double encoder_flops(double tokens, double sequence, double hidden, int layers) {
  return layers * (24 * tokens * hidden * hidden + 4 * tokens * sequence * hidden);
}

}  // namespace

TEST_CASE("the BERT encoder does 335 GFLOP forward for 512 tokens and 78.9 for 128") {
  const auto [name, sequence, giga] =
      GENERATE(table<std::string, std::int64_t, double>({{"bert-large", 512, 335},
                                                         {"bert-large", 128, 78.9},
                                                         {"bert-base", 512, 96.6},
                                                         {"bert-base", 128, 22.3}}));
  const bool flash = GENERATE(true, false);
  ModelRequest request;
  request.micro_batch = 4;
  request.sequence = sequence;
  request.attention = flash ? AttentionKernel::flash2 : AttentionKernel::unfused;
  INFO(name << " " << sequence);
  const double forward = flops(forward_kernels(build(name, request), "encoder"));
  CHECK(forward / 4 == Approx(giga * 1e9).epsilon(0.005));
}

TEST_CASE("BERT's model FLOPs count the language-model head on masked positions only") {
  // Rule: 3 x (encoder + pooler on first tokens + both heads on ceil(5 s / 32) and 1 rows a
  // sequence).
  CHECK(bert_predictions(128) == 20);
  CHECK(bert_predictions(512) == 80);
  const double b = 3, s = 512, h = 1024, v = 30522;
  const double heads = 2 * 80 * b * (h * h + h * v) + 2 * b * (h * h + 2 * h);
  CHECK(build("bert", {3}).model_flops ==
        Approx(3 * (encoder_flops(b * s, s, h, 24) + heads)).epsilon(1e-12));
  CHECK(build("bert", {3}).model_flops / b == Approx(1.02e12).epsilon(0.005));
}

TEST_CASE("GPT-2's model FLOPs are Megatron's closed form with a causal core") {
  // 72 T L h^2 (1 + s/(12 h) + V/(12 L h)): arXiv:2104.04473 with half of the attention square.
  const double t = 2.0 * 1024, l = 48, h = 1600, v = 50257, s = 1024;
  ModelRequest request{2};
  request.attention = GENERATE(AttentionKernel::flash2, AttentionKernel::unfused);
  request.fusion = GENERATE(Fusion::eager, Fusion::compile);
  CHECK(build("gpt2-xl", request).model_flops ==
        Approx(72 * t * l * h * h * (1 + s / (12 * h) + v / (12 * l * h))).epsilon(1e-12));
}

TEST_CASE("convolutional networks do the multiply-adds torchvision states") {
  // GMACs in the metadata of torchvision's weights (_ops): a multiply-add is 2 FLOP.
  const auto [name, giga_macs] =
      GENERATE(table<std::string, double>({{"resnet-18", 1.814},
                                           {"resnet-34", 3.664},
                                           {"resnet-50", 4.089},
                                           {"resnet-101", 7.801},
                                           {"resnet-152", 11.514},
                                           {"resnext50-32x4d", 4.23},
                                           {"resnext101-32x8d", 16.414}}));
  const Model model = build(name, {2});
  INFO(name);
  CHECK(flops(forward_kernels(model)) / 2 == Approx(2 * giga_macs * 1e9).epsilon(0.001));
  CHECK(model.model_flops == 3 * flops(forward_kernels(model)));
}

TEST_CASE("backward multiplies twice as much as forward, less the first input's gradient") {
  const Model model = build("resnet-50", {2});
  const double stem = 2.0 * 2 * 112 * 112 * 64 * 3 * 49;
  CHECK(flops(backward_kernels(model)) == Approx(2 * flops(forward_kernels(model)) - stem));
  // Fused attention recomputes the scores: 5 products backward for 2 forward.
  const Model bert = build("bert", {2});
  const double core = 24 * 4.0 * 2 * 512 * 512 * 1024;
  CHECK(flops(backward_kernels(bert)) ==
        Approx(2 * flops(forward_kernels(bert)) + 0.5 * core).epsilon(1e-12));
}

TEST_CASE("every GEMM and convolution has the FLOPs of its shape, every attention its square") {
  const bool flash = GENERATE(true, false);
  for (const ModelKind* kind : model_kinds()) {
    if (kind->transformer != nullptr && kind->transformer->layers > 30) continue;  // a sample
    ModelRequest request{2};
    request.attention = flash ? AttentionKernel::flash2 : AttentionKernel::unfused;
    const Model model = kind->build(*kind, request);
    auto kernels = forward_kernels(model);
    const auto backward = backward_kernels(model);
    kernels.insert(kernels.end(), backward.begin(), backward.end());
    for (const Kernel& kernel : kernels) {
      INFO(kind->name << " " << kernel.name);
      const double cube = 2.0 * static_cast<double>(kernel.m) * static_cast<double>(kernel.n) *
                          static_cast<double>(kernel.k) * static_cast<double>(kernel.batch);
      REQUIRE(kernel.bytes > 0);
      REQUIRE(kernel.launches >= 1);
      if (kernel.kind == KernelKind::memory) {
        REQUIRE(kernel.flops == 0);
      } else if (kernel.kind == KernelKind::attention) {
        const double square = 2 * cube * (kernel.causal ? 0.5 : 1);
        REQUIRE(kernel.flops == Approx((kernel.pass == Pass::forward ? 1 : 2.5) * square));
      } else {
        REQUIRE(kernel.flops == cube);
        REQUIRE(kernel.m * kernel.n * kernel.k * kernel.batch > 0);
      }
    }
  }
}

TEST_CASE("forward, dgrad and wgrad have the shapes of a dense layer and of a convolution") {
  const auto find = [](const std::vector<Kernel>& kernels, const std::string& name) {
    for (const Kernel& kernel : kernels)
      if (kernel.name == name) return kernel;
    FAIL("no kernel " << name);
    return Kernel{};
  };
  const auto check = [](const Kernel& kernel, Pass pass, std::int64_t m, std::int64_t n,
                        std::int64_t k, std::int64_t batch) {
    INFO(kernel.name);
    CHECK(kernel.pass == pass);
    CHECK(kernel.m == m);
    CHECK(kernel.n == n);
    CHECK(kernel.k == k);
    CHECK(kernel.batch == batch);
  };
  const Model bert = build("bert", {4});
  const auto forward = forward_kernels(bert, "encoder.layer.3");
  const auto backward = backward_kernels(bert, "encoder.layer.3");
  check(find(forward, "intermediate"), Pass::forward, 2048, 4096, 1024, 1);
  check(find(backward, "intermediate.dgrad"), Pass::dgrad, 2048, 1024, 4096, 1);
  check(find(backward, "intermediate.wgrad"), Pass::wgrad, 4096, 1024, 2048, 1);

  const Model resnext = build("resnext50-32x4d", {2});  // layer2.0.conv2: 56 -> 28, 32 groups of 8
  check(find(forward_kernels(resnext, "layer2.0"), "conv2"), Pass::forward, 2 * 28 * 28, 8, 72, 32);
  check(find(backward_kernels(resnext, "layer2.0"), "conv2.dgrad"), Pass::dgrad, 2 * 56 * 56, 8, 18,
        32);
  check(find(backward_kernels(resnext, "layer2.0"), "conv2.wgrad"), Pass::wgrad, 8, 72, 2 * 28 * 28,
        32);
}

TEST_CASE("no gradient is computed for images") {
  for (const Kernel& kernel : backward_kernels(build("resnet-50", {2}), "stem"))
    CHECK(kernel.name != "conv1.dgrad");
}
