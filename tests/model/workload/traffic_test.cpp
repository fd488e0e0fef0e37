// Bytes moved, bytes kept and kernels launched, against closed forms.
#include <catch2/catch.hpp>
#include <string>

#include "tests/model/workload/model_queries.h"

using namespace dsim;
using namespace dsim::testing;

namespace {

struct Traffic {
  double forward, backward;  ///< passes of e bytes over the layer's tensors, in bytes
};

/// Memory-bound bytes of layer 5 of GPT-2 medium.
Traffic layer_traffic(const ModelRequest& request) {
  const Model model = build("gpt2-medium", request);
  return {memory_bytes(forward_kernels(model, "h.5")),
          memory_bytes(backward_kernels(model, "h.5"))};
}

/// Bytes a residual-stream element that the closed forms leave out: LayerNorm statistics.
constexpr double statistics = 2 * 8;

}  // namespace

TEST_CASE("jit-fused layers move the bytes of Megatron's fused kernels") {
  // e h T (4 + 7) + e T (2 h + 2 f) forward, e h T (14 + 7) + e T (2 h + 3 q + 4 f) backward with
  // dropout, e = 2, q = 3 h, f = 4 h; 7 holds two 1-byte masks, half a pass each.
  const double e = 2, t = 4 * 1024, h = 1024, q = 3 * h, f = 4 * h;
  const Traffic traffic = layer_traffic({4, 0, Precision::bf16, Fp8Recipe::delayed, Fusion::jit});
  CHECK(traffic.forward ==
        Approx(e * t * (11 * h + 2 * h + 2 * f) + statistics * t).epsilon(1e-12));
  CHECK(traffic.backward ==
        Approx(e * t * (21 * h + 2 * h + 3 * q + 4 * f) + statistics * t).epsilon(1e-12));
}

TEST_CASE("eager layers move more bytes than jit, compiled ones fewer") {
  const auto traffic = [](Fusion fusion) { return layer_traffic({4, 0, Precision::bf16, Fp8Recipe::delayed, fusion}); };
  const Traffic eager = traffic(Fusion::eager), jit = traffic(Fusion::jit),
                compiled = traffic(Fusion::compile);
  CHECK(eager.forward > 1.5 * jit.forward);
  CHECK(eager.backward == jit.backward);  // a dropped-out gradient passes the add for nothing
  CHECK(compiled.forward < jit.forward);
  CHECK(compiled.backward < jit.backward);
  // Eager adds a bias kernel for each dense layer (q, h, f, h), dropout and add apart (2 x 2 passes
  // and no bias read), and the copies of Q, K and V.
  const double e = 2, t = 4 * 1024, h = 1024;
  CHECK(eager.forward - jit.forward ==
        Approx(e * t * (2 * (3 + 1 + 4 + 1) * h + 2 * 2 * h + 2 * 3 * h)));
}

TEST_CASE("unfused attention moves softmax and dropout bytes over the scores") {
  // jit: 4 + 5 B forward, 6 + 5 B backward a score in 16 bit; eager softmax 14 and 12.
  const double scores = 4.0 * 16 * 1024 * 1024;
  const auto difference = [&](Fusion fusion) {
    const Traffic unfused = layer_traffic({4, 0, Precision::fp16, Fp8Recipe::delayed, fusion, AttentionKernel::unfused});
    const Traffic fused = layer_traffic({4, 0, Precision::fp16, Fp8Recipe::delayed, fusion, AttentionKernel::flash2});
    return Traffic{(unfused.forward - fused.forward) / scores,
                   (unfused.backward - fused.backward) / scores};
  };
  CHECK(difference(Fusion::jit).forward == Approx(9));
  CHECK(difference(Fusion::jit).backward == Approx(11));
  CHECK(difference(Fusion::eager).forward == Approx(19));
  CHECK(difference(Fusion::eager).backward == Approx(17));
}

TEST_CASE("transformer layers keep the activations of Korthikanti's closed form") {
  // s b h (34 + 5 a s / h) unfused, 34 s b h with fused attention: arXiv:2205.05198 section 4.1.
  const auto [name, prefix, h, a, layers, s] =
      GENERATE(table<std::string, std::string, double, double, int, double>(
          {{"bert-large", "encoder", 1024, 16, 24, 512}, {"gpt2-xl", "h.", 1600, 25, 48, 1024}}));
  const double sbh = 2 * s * h;
  ModelRequest request{2};
  request.attention = AttentionKernel::flash2;
  CHECK(saved_bytes(build(name, request), prefix) == Approx(layers * 34 * sbh).epsilon(0.02));
  request.attention = AttentionKernel::unfused;
  CHECK(saved_bytes(build(name, request), prefix) ==
        Approx(layers * sbh * (34 + 5 * a * s / h)).epsilon(0.02));
  // fp32 doubles everything but the one-byte masks.
  request.attention = AttentionKernel::flash2;
  request.precision = Precision::fp32;
  CHECK(saved_bytes(build(name, request), prefix) ==
        Approx(layers * (2 * 34 - 2) * sbh).epsilon(0.02));
}

TEST_CASE("ResNet-50 keeps the input of every convolution and of every norm") {
  // 11.11 M elements leave the convolutions of one image (timm "activations", M: 11.11); all but
  // the 0.1504 M image, the classifier's input and what is shared enter the next.
  const double e = 2;
  const Model model = build("resnet-50", {1, 0, Precision::fp16});
  double kept = 0;
  for (const Layer& layer : model.layers)
    if (layer.name != "fc") kept += layer.saved_bytes;
  // Inputs: image; conv1 of 16 blocks; conv2 and conv3. By stage (planes p, side r, blocks n):
  double norms = 64.0 * 112 * 112, inputs = 3.0 * 224 * 224 + 64.0 * 112 * 112 /* max pool */;
  double channels = 64, side = 56;
  const int blocks[] = {3, 4, 6, 3};
  for (int stage = 0; stage < 4; ++stage) {
    const double planes = 64 << stage, out = 4 * planes, r = 56 >> stage;
    for (int i = 0; i < blocks[stage]; ++i) {
      inputs += channels * side * side + planes * side * side + planes * r * r;
      norms += planes * side * side + planes * r * r + out * r * r + (i == 0 ? out * r * r : 0);
      channels = out;
      side = r;
    }
  }
  CHECK(norms == Approx(11.11e6).epsilon(0.002));
  const double indices = 8 * 64.0 * 56 * 56;
  CHECK(kept == Approx(e * (norms + inputs) + indices).epsilon(0.01));
}

TEST_CASE("BatchNorm reads and writes 3 passes forward and 5 backward, ReLU 2 and 3") {
  const Model model = build("resnet-50", {8, 0, Precision::fp32});
  const double pass = 4.0 * 8 * 64 * 112 * 112;
  for (const Kernel& kernel : forward_kernels(model, "stem")) {
    if (kernel.name == "bn1") CHECK(kernel.bytes == 3 * pass);
    if (kernel.name == "relu") CHECK(kernel.bytes == 2 * pass);
  }
  for (const Kernel& kernel : backward_kernels(model, "stem")) {
    if (kernel.name == "bn1.backward") CHECK(kernel.bytes == 5 * pass);
    if (kernel.name == "relu.backward") CHECK(kernel.bytes == 3 * pass);
  }
}

TEST_CASE("a convolution moves its real tensors, not the unrolled matrix") {
  const Model model = build("resnet-50", {8, 0, Precision::fp16});
  for (const Kernel& kernel : forward_kernels(model, "layer1.0"))
    if (kernel.name == "conv2") CHECK(kernel.bytes == 2.0 * (2 * 8 * 64 * 56 * 56 + 64 * 64 * 9));
}

TEST_CASE("only tf32 convolutions copy their activations between layouts") {
  const auto copies = [](Precision precision, Fusion fusion) {
    const Model model = build("resnet-50", {8, 0, precision, Fp8Recipe::delayed, fusion});
    double bytes = 0;
    for (const auto& kernels :
         {forward_kernels(model, "layer1.0"), backward_kernels(model, "layer1.0")})
      for (const Kernel& kernel : kernels)
        if (kernel.name.find("layout_copies") != std::string::npos) bytes += kernel.bytes;
    return bytes;
  };
  // 64 -> 64, 64 -> 64, 64 -> 256 and 64 -> 256 channels at 56 x 56: in and out, read and written,
  // for forward, dgrad and wgrad.
  const double channels = (64 + 64) + (64 + 64) + (64 + 256) + (64 + 256);
  CHECK(copies(Precision::tf32, Fusion::eager) == 3 * 2 * 4.0 * 8 * 56 * 56 * channels);
  CHECK(copies(Precision::tf32, Fusion::compile) == 0);
  CHECK(copies(Precision::fp16, Fusion::eager) == 0);
  CHECK(copies(Precision::fp32, Fusion::eager) == 0);
}

TEST_CASE("autocast casts every weight of a GEMM or convolution once a forward pass") {
  const auto cast_bytes = [](const Model& model) {
    double bytes = 0;
    for (const Kernel& kernel : forward_kernels(model))
      if (kernel.name.find(".cast") != std::string::npos) bytes += kernel.bytes;
    return bytes;
  };
  const Model model = build("gpt2", {1});
  double cast = 0;  // all but position table and norms: 4 B read, 2 B written
  for (const Parameter& parameter : model.parameters)
    if (parameter.name.find("ln_") == std::string::npos &&
        parameter.name != "transformer.wpe.weight")
      cast += 6.0 * static_cast<double>(parameter.elements);
  CHECK(cast_bytes(model) == Approx(cast).epsilon(1e-12));
  CHECK(cast_bytes(build("gpt2", {1, 0, Precision::fp32})) == 0);
  CHECK(cast_bytes(build("gpt2", {1, 0, Precision::tf32})) == 0);
}

TEST_CASE("work scales with the micro-batch") {
  const std::string name = GENERATE("bert-base", "resnet-18", "gpt2");
  const Model one = build(name, {8}), two = build(name, {16});
  CHECK(two.model_flops == Approx(2 * one.model_flops).epsilon(1e-12));
  CHECK(saved_bytes(two) == Approx(2 * saved_bytes(one)).epsilon(1e-3));
  CHECK(two.input_bytes == Approx(2 * one.input_bytes));
  CHECK(two.workspace_bytes == Approx(2 * one.workspace_bytes));
  CHECK(two.parameter_count() == one.parameter_count());
}

TEST_CASE("the default micro-batch keeps activations, logits and Adam states within 80 GB") {
  for (const ModelKind* kind : model_kinds()) {
    const Model model = kind->build(*kind, {});
    const double states = 16 * static_cast<double>(model.parameter_count());
    if (states > 40e9) continue;  // more than one GPU by any means
    INFO(kind->name << " " << saved_bytes(model) / 1e9 << " GB");
    CHECK(states + saved_bytes(model) + model.workspace_bytes < 70e9);
  }
}

TEST_CASE("kernels launched in a step are about as many as profiles show") {
  // Eager: an operation is a kernel or two. Bounds: the operations of the forward pass counted in
  // the sources of the models (every module once) and three times as many.
  const Model resnet = build("resnet-50", {32, 0, Precision::fp32});
  CHECK(launches(forward_kernels(resnet)) > 53 + 53 + 49 + 16 + 4);
  CHECK(launches(forward_kernels(resnet)) < 3 * (53 + 53 + 49 + 16 + 4));
  CHECK(launches(backward_kernels(resnet)) > 2 * 53 + 53 + 49);
  CHECK(launches(backward_kernels(resnet)) < 3 * (2 * 53 + 53 + 49));
  const auto per_layer = [](Fusion fusion) {
    const Model model = build("gpt2", {8, 0, Precision::fp32, Fp8Recipe::delayed, fusion});
    return std::pair(launches(forward_kernels(model, "h.5")),
                     launches(backward_kernels(model, "h.5")));
  };
  // Megatron's fused layer: about 9 memory-bound kernels forward and 16 backward beside 4 GEMMs and
  // attention forward, 8 and 3 backward.
  const auto [forward, backward] = per_layer(Fusion::jit);
  CHECK(forward >= 11);
  CHECK(forward <= 14);
  CHECK(backward >= 22);
  CHECK(backward <= 28);
  CHECK(per_layer(Fusion::eager).first > forward);
  CHECK(per_layer(Fusion::compile).first < forward);
}
