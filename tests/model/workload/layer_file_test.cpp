// dsim layer files: a network that is also built otherwise comes out the same; mistakes are refused
// at their place.
#include <catch2/catch.hpp>
#include <string>

#include "model/workload/layer_file.h"
#include "tests/model/workload/model_queries.h"
#include "tests/support/message_of.h"

namespace dsim {
namespace {

std::shared_ptr<const ModelKind> read(const std::string& text) {
  const json::Document document = json::Document::parse(text, "net.json");
  return layer_model(document.root());
}

Model built(const std::string& text, ModelRequest request = {}) {
  const auto kind = read(text);
  return kind->build(*kind, request);
}

/// A file of one layer with these operations.
std::string with(const std::string& operations, const std::string& more = R"("sequence": 128,)") {
  return R"({"format": "dsim.layers/1", "name": "net", "micro_batch": 4,)" + more +
         "\n\"layers\": [{\"name\": \"layer\", \"ops\": [" + operations + "]}]}";
}

}  // namespace

TEST_CASE("a dense layer of a file has the GEMMs, parameters and activations of its dimensions",
          "[layers]") {
  const Model model =
      built(with(R"({"op": "linear", "inputs": 64, "outputs": 256})"), {0, 0, Precision::fp32});
  CHECK(model.samples == 4);
  CHECK(model.tokens_per_sample == 128);
  CHECK(model.parameter_count() == 64 * 256 + 256);
  CHECK(model.model_flops == 3 * 2 * 4 * 128 * 64 * 256.0);
  const auto forward = testing::forward_kernels(model);
  CHECK(forward.back().m == 4 * 128);
  CHECK(forward.back().n == 256);
  CHECK(forward.back().k == 64);
  CHECK(model.layers[0].saved_bytes == 4 * 4 * 128 * 64.0);
  CHECK(model.layers[0].output_bytes == 4 * 4 * 128 * 256.0);
}

TEST_CASE("a file with BERT's encoder layer has the FLOPs and parameters of BERT's", "[layers]") {
  const Model file = built(with(R"(
    {"op": "linear", "name": "qkv", "inputs": 1024, "outputs": 3072},
    {"op": "attention", "heads": 16, "head_size": 64, "causal": false},
    {"op": "linear", "name": "out", "inputs": 1024, "outputs": 1024},
    {"op": "layer_norm", "width": 1024},
    {"op": "linear", "name": "up", "inputs": 1024, "outputs": 4096},
    {"op": "elementwise", "width": 4096},
    {"op": "linear", "name": "down", "inputs": 4096, "outputs": 1024},
    {"op": "layer_norm", "name": "norm2", "width": 1024})"),
                           {4, 128});
  const Model bert = testing::build("bert-large", {4, 128});
  const std::string layer = "encoder.layer.7";
  const auto forward = testing::forward_kernels(bert, layer);
  REQUIRE_FALSE(forward.empty());
  CHECK(testing::flops(testing::forward_kernels(file)) == testing::flops(forward));
  CHECK(testing::flops(testing::backward_kernels(file)) ==
        testing::flops(testing::backward_kernels(bert, layer)));
  std::int64_t parameters = 0;
  for (const Parameter& parameter : bert.parameters)
    if (parameter.name.find(layer + '.') != std::string::npos) parameters += parameter.elements;
  CHECK(file.parameter_count() == parameters);
}

TEST_CASE("a convolution of a file is the one of ResNet-50's stem", "[layers]") {
  const Model file = built(
      with(R"({"op": "conv", "inputs": 3, "outputs": 64, "side": 224, "kernel": 7, "stride": 2},
              {"op": "batch_norm", "channels": 64, "side": 112})",
           R"("samples": "images",)"));
  CHECK(file.sample_unit == "images");
  CHECK(file.parameter_count() == 3 * 64 * 49 + 128);
  CHECK(file.model_flops == 3 * 2 * 4 * 112.0 * 112 * 64 * 147);
  CHECK(file.buffers.size() == 2);
}

TEST_CASE("operations by bytes and products are taken by the sample", "[layers]") {
  const Model model =
      built(with(R"({"op": "memory", "forward": "1 MB", "backward": "2 MB", "saved": "3 kB"},
              {"op": "gemm", "m": 128, "n": 64, "k": 32, "batch": 2})",
                 R"("input": "10 kB",)"));
  CHECK(model.input_bytes == 4 * 10'000.0);
  const auto forward = testing::forward_kernels(model);
  const auto backward = testing::backward_kernels(model);
  REQUIRE(forward.size() == 2);
  REQUIRE(backward.size() == 3);
  CHECK(forward[0].bytes == 4e6);
  CHECK(forward[1].flops == 2.0 * 128 * 64 * 32 * 2 * 4);
  CHECK(testing::flops(backward) == 2 * forward[1].flops);
  CHECK(model.layers[0].saved_bytes == 4 * 3000.0 + 2 * 8 * 32.0 * (128 + 64));
}

TEST_CASE("layers repeat, have roles and pass their output on", "[layers]") {
  const Model model = built(R"({"format": "dsim.layers/1", "name": "net", "layers": [
    {"name": "in", "role": "embedding", "ops": [{"op": "embedding", "entries": 100, "width": 8}]},
    {"name": "body", "repeat": 3, "ops": [{"op": "linear", "inputs": 8, "outputs": 8}]},
    {"name": "out", "role": "head", "ops": [{"op": "loss", "classes": 8}]}]})");
  REQUIRE(model.layers.size() == 5);
  CHECK(model.layers[0].role == LayerRole::embedding);
  CHECK(model.layers[2].name == "body.1");
  CHECK(model.layers[2].input_bytes == 2 * 8.0);
  CHECK(model.layers[4].role == LayerRole::head);
  CHECK(model.parameter_count() == 800 + 3 * 72);
  std::vector<std::size_t> order = testing::arrival_order(model);
  CHECK(order.size() == model.parameters.size());
}

TEST_CASE("mistakes of a layer file are refused at their place", "[layers]") {
  struct Row {
    std::string text, place, message;
  };
  const auto row = GENERATE(values<Row>({
      {R"({"format": "dsim.layers/2", "name": "x", "layers": []})", "net.json:1:12",
       "expected \"dsim.layers/1\""},
      {R"({"format": "dsim.layers/1", "layers": []})", "net.json:1:1", "missing key 'name'"},
      {R"({"format": "dsim.layers/1", "name": "x", "layers": []})", "net.json:1:52",
       "at least one layer"},
      {with(""), "net.json:2:37", "at least one operation"},
      {with(R"({"op": "liner", "inputs": 1, "outputs": 1})"), "net.json:2:45",
       "did you mean 'linear'"},
      {with(R"({"op": "linear", "inputs": 1})"), "net.json:2:38", "missing key 'outputs'"},
      {with(R"({"op": "linear", "inputs": 0, "outputs": 1})"), "net.json:2:65", "from 1 to"},
      {with(R"({"op": "linear", "inputs": -3, "outputs": 1})"), "net.json:2:65", "from 1 to"},
      {with(R"({"op": "linear", "inputs": 1, "outputs": 1, "biass": true})"), "net.json:2:82",
       "did you mean 'bias'"},
      {with(R"({"op": "memory", "forward": 12})"), "net.json:2:66", "bare numbers have no unit"},
      {with(R"({"op": "attention", "heads": 4, "head_size": 8})", ""), "net.json:2:45",
       "needs a \"sequence\""},
      {with(R"({"op": "attention", "heads": 4, "kv_heads": 3, "head_size": 8})"), "net.json:2:82",
       "divisor of the 4 heads, found 3"},
      {with(R"({"op": "conv", "inputs": 4, "outputs": 6, "side": 8, "groups": 4})"),
       "net.json:2:101", "divisor of the 6 outputs, found 4"},
      {R"({"format": "dsim.layers/1", "name": "x", "layers": [{"name": "l", "repeat": 100000,
          "ops": [{"op": "loss", "classes": 2}, {"op": "loss", "classes": 2}]}]})",
       "net.json:1:52", "200000 operations are more"},
      {R"({"format": "dsim.layers/1", "name": "x", "layers": [{"name": "l", "role": "heat",
          "ops": [{"op": "loss", "classes": 2}]}]})",
       "net.json:1:75", "did you mean 'head'"},
  }));
  const std::string message = test::message_of([&] { read(row.text); });
  INFO(row.text);
  CHECK_THAT(message, Catch::StartsWith(row.place));
  CHECK_THAT(message, Catch::Contains(row.message));
}

TEST_CASE("a micro-batch whose elements cannot be counted is refused", "[layers]") {
  const auto kind = read(with(R"({"op": "linear", "inputs": 1000000, "outputs": 8})"));
  ModelRequest request;
  request.micro_batch = 1 << 20;
  request.sequence = 1 << 20;
  CHECK_THAT(test::message_of([&] { kind->build(*kind, request); }),
             Catch::Contains("is too large"));
}

TEST_CASE("a layer file is not cut over ranks", "[layers]") {
  const auto kind = read(with(R"({"op": "linear", "inputs": 8, "outputs": 8})"));
  ModelRequest request;
  request.sharding.tensor = 2;
  CHECK_THAT(test::message_of([&] { kind->build(*kind, request); }),
             Catch::Contains("tensor parallelism (2) is not available"));
}

}  // namespace dsim
