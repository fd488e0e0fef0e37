// Bytes of memory-bound kernels of a transformer layer by kind of fusion, as passes of e bytes.
#include <catch2/catch.hpp>

#include "model/workload/transformer/build.h"
#include "model/workload/transformer/kinds.h"
#include "tests/model/workload/model_queries.h"

namespace dsim {
namespace {

constexpr double tokens = 2 * 1024, e = 2, hidden = 512;

Model built(const TransformerConfig& config, Fusion fusion, std::uint32_t tensor = 1,
            bool sequence_parallel = false) {
  const ModelKind kind{"sample", "", 2, 1024, "adamw", build_transformer, &config};
  ModelRequest request;
  request.micro_batch = 2;
  request.sequence = 1024;
  request.fusion = fusion;
  request.attention = AttentionKernel::flash2;
  request.half_weights = true;
  request.sharding.tensor = tensor;
  request.sharding.sequence_parallel = sequence_parallel;
  return build_transformer(kind, request);
}

double forward_passes(const Model& model) {
  return testing::memory_bytes(testing::forward_kernels(model, "layers.1")) / (e * tokens);
}
double backward_passes(const Model& model) {
  return testing::memory_bytes(testing::backward_kernels(model, "layers.1")) / (e * tokens);
}

/// Statistics of two norms, 8 or 4 B a row, in passes over one element a token.
constexpr double layer_norm_rows = 2 * 8 / e, rms_norm_rows = 2 * 4 / e;

}  // namespace

TEST_CASE("a jit-fused GPT layer moves Megatron's bytes", "[transformer]") {
  TransformerConfig config = gpt("gpt", 3, 512, 16, 51200, 2048);
  const double f = 2048, q = 3 * hidden;
  // norms 4, bias-dropout-add 7; context copy 2, GELU 2; backward: norms and gradient sums 14,
  // dropout 5 and the bias gradients of both outputs 2, copies 2 + 2, GELU 3, bias gradients of Q,
  // K, V and up
  CHECK(forward_passes(built(config, Fusion::jit)) ==
        Approx((4 + 7 + 2) * hidden + 2 * f + layer_norm_rows));
  CHECK(backward_passes(built(config, Fusion::jit)) ==
        Approx((14 + 7 + 2) * hidden + 3 * q + 4 * f + layer_norm_rows));
  config.attention_dropout = config.hidden_dropout = false;
  CHECK(forward_passes(built(config, Fusion::jit)) ==
        Approx((4 + 6 + 2) * hidden + 2 * f + layer_norm_rows));
}

TEST_CASE("sequence parallelism divides what norms and residuals move", "[transformer]") {
  const TransformerConfig config = gpt("gpt", 3, 512, 16, 51200, 2048);
  const double f = 2048, t = 4;
  CHECK(forward_passes(built(config, Fusion::jit, 4)) ==
        Approx((4 + 7 + 2 / t) * hidden + 2 * f / t + layer_norm_rows));
  CHECK(forward_passes(built(config, Fusion::jit, 4, true)) ==
        Approx(((4 + 7 + 2) * hidden + 2 * f + layer_norm_rows) / t));
}

TEST_CASE("a Llama layer moves more bytes eager, fewer compiled", "[transformer]") {
  const TransformerConfig config = llama("llama", 3, 512, 16, 4, 1280, 51200, 8192);
  const double f = 1280, q = 512 + 2 * 128, rotated = 512 + 128;
  CHECK(forward_passes(built(config, Fusion::eager)) ==
        Approx((2 * 8 + 6 + 2) * hidden + 2 * q + 8 * rotated + 5 * f + rms_norm_rows));
  CHECK(forward_passes(built(config, Fusion::jit)) ==
        Approx((2 * 2 + 6 + 2) * hidden + 2 * rotated + 3 * f + rms_norm_rows));
  CHECK(forward_passes(built(config, Fusion::compile)) ==
        Approx(7 * hidden + 1.5 * q + 3 * f + rms_norm_rows));
  CHECK(backward_passes(built(config, Fusion::compile)) ==
        Approx(10 * hidden + 1.5 * q + 5 * f + rms_norm_rows));
}

TEST_CASE("Megatron's fused softmax needs heads and batch in fours", "[transformer]") {
  TransformerConfig config = gpt("gpt", 1, 512, 16, 51200, 2048);
  const auto softmax_passes = [&](std::int64_t heads) {
    config.heads = config.kv_heads = heads;
    const ModelKind kind{"sample", "", 1, 1024, "adamw", build_transformer, &config};
    ModelRequest request;
    request.fusion = Fusion::jit;
    request.attention = AttentionKernel::unfused;
    for (const Kernel& kernel : testing::forward_kernels(build_transformer(kind, request)))
      if (kernel.name == "attention.softmax")
        return kernel.bytes / (e * static_cast<double>(heads) * 1024 * 1024);
    return 0.0;
  };
  CHECK(softmax_passes(16) == 2);
  CHECK(softmax_passes(2) == 7);
}

TEST_CASE("the loss costs the bytes of its form", "[transformer]") {
  const TransformerConfig config = gpt("gpt", 1, 512, 16, 51200, 2048);
  const auto per_logit = [&](Fusion fusion, std::uint32_t tensor) {
    for (const Kernel& kernel : testing::forward_kernels(built(config, fusion, tensor), "head"))
      if (kernel.name == "loss") return kernel.bytes / (tokens * 51200 / tensor);
    return 0.0;
  };
  CHECK(per_logit(Fusion::eager, 1) == 20);
  CHECK(per_logit(Fusion::eager, 4) == 36);
  CHECK(per_logit(Fusion::jit, 4) == 9);
}

}  // namespace dsim
