// Vision transformers, encoder-decoders and GNMT: counts, multiply-adds, order of arrival.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "tests/model/workload/model_queries.h"

using namespace dsim;
using namespace dsim::testing;

namespace {

std::size_t arrival(const Model& model, const std::string& name) {
  const std::vector<std::size_t> order = arrival_order(model);
  return static_cast<std::size_t>(
      std::find(order.begin(), order.end(), parameter_index(model, name)) - order.begin());
}

double core_bytes(const Model& model) {
  double sum = 0;
  for (const Layer& layer : model.layers) sum += layer.core_attention_bytes;
  return sum;
}

}  // namespace

TEST_CASE("vision transformers have the parameters and multiply-adds torchvision states",
          "[networks]") {
  // num_params and _ops of the metadata; ViT-H/14 is that of the 224-pixel weights.
  const auto [name, count, giga_macs] =
      GENERATE(table<std::string, std::int64_t, double>({{"vit-b/16", 86'567'656, 17.564},
                                                         {"vit-b/32", 88'224'232, 4.409},
                                                         {"vit-l/16", 304'326'632, 61.555},
                                                         {"vit-l/32", 306'535'400, 15.378},
                                                         {"vit-h/14", 632'045'800, 167.295}}));
  const Model model = build(name, {2});
  INFO(name);
  CHECK(model.parameter_count() == count);
  CHECK(flops(forward_kernels(model)) / 4 == Approx(giga_macs * 1e9).epsilon(0.001));
  CHECK(model.model_flops == Approx(3 * flops(forward_kernels(model))).epsilon(1e-12));
  CHECK(model.parameters[0].name == "class_token");
  CHECK(model.parameters[3].name == "encoder.pos_embedding");
}

TEST_CASE("a vision transformer's positions arrive before its class token, patches last",
          "[networks]") {
  const Model model = build("vit", {4, 0, Precision::fp32});
  const std::size_t count = model.parameters.size();
  CHECK(arrival(model, "encoder.pos_embedding") == count - 4);
  CHECK(arrival(model, "class_token") == count - 3);
  CHECK(arrival(model, "conv_proj.bias") == count - 1);
}

TEST_CASE("encoder-decoders have the published parameters", "[networks]") {
  // Hugging Face T5ForConditionalGeneration, the tied table counted once. Translation: the closed
  // form with 32,768 shared byte pairs. GNMT: the sum over the module's tensors.
  const auto embedding = [](std::int64_t h) { return 32768 * h; };
  const auto translation = [&](std::int64_t h, std::int64_t f) {
    const std::int64_t attention = 4 * (h * h + h), mlp = 2 * h * f + f + h, norm = 2 * h;
    return embedding(h) + 6 * (attention + mlp + 2 * norm) + 6 * (2 * attention + mlp + 3 * norm);
  };
  CHECK(translation(1024, 4096) == 209'911'808);
  CHECK(build("t5-small").parameter_count() == 60'506'624);
  CHECK(build("t5-base").parameter_count() == 222'903'552);
  CHECK(build("t5-large").parameter_count() == 737'668'096);
  CHECK(build("t5-3b").parameter_count() == 2'851'598'336);
  CHECK(build("t5-11b").parameter_count() == 11'307'321'344);
  CHECK(build("transformer-base").parameter_count() == translation(512, 2048));
  CHECK(build("transformer-big").parameter_count() == translation(1024, 4096));
  CHECK(build("gnmt").parameter_count() == 160'671'297);
}

TEST_CASE("T5 multiplies what its shapes say: encoder, decoder, cross-attention, head",
          "[networks]") {
  // Per token 2 FLOP a weight; a core 4 FLOP a (query, key, feature), half for causal model FLOPs.
  const double b = 2, s = 512, t = 114, h = 512, f = 2048, v = 32128, layers = 6;
  const double encoder = 2 * b * s * (4 * h * h + 2 * h * f) + 4 * b * s * s * h;
  const double decoder = 2 * b * t * (4 * h * h + 2 * h * f) + 2 * b * t * t * h;
  const double cross = 2 * b * (2 * t + 2 * s) * h * h + 4 * b * t * s * h;
  const Model model = build("t5-small", {2});
  CHECK(model.model_flops / 3 ==
        Approx(layers * (encoder + decoder + cross) + 2 * b * t * h * v).epsilon(1e-12));
}

TEST_CASE("T5's table of distances arrives in the first block of each stack, its words last",
          "[networks]") {
  const Model model = build("t5-small", {2, 0, Precision::fp32});
  const std::string block = "decoder.block.0.layer.0.SelfAttention.";
  CHECK(arrival(model, block + "relative_attention_bias.weight") <
        arrival(model, block + "v.weight"));
  CHECK(arrival(model, block + "o.weight") <
        arrival(model, block + "relative_attention_bias.weight"));
  CHECK(arrival(model, "encoder.final_layer_norm.weight") >
        arrival(model, "decoder.block.0.layer.0.layer_norm.weight"));
  CHECK(arrival(model, "shared.weight") + 1 == model.parameters.size());
  CHECK(parameter_index(model, "shared.weight") == 0);
}

TEST_CASE("an LSTM does a GEMM a step in either direction and completes its four tensors at once",
          "[networks]") {
  const Model model = build("gnmt", {64, 20, Precision::fp32});
  int forward = 0, backward = 0;
  for (const Kernel& kernel : forward_kernels(model, "encoder.rnn_layers.2"))
    forward += kernel.name == "lstm.hidden";
  for (const Kernel& kernel : backward_kernels(model, "encoder.rnn_layers.2"))
    backward += kernel.name == "lstm.hidden.dgrad";
  CHECK(forward == 20);
  CHECK(backward == 20);
  const std::string layer = "encoder.rnn_layers.2.";
  const std::size_t first = arrival(model, layer + "weight_ih_l0");
  CHECK(arrival(model, layer + "weight_hh_l0") == first + 1);
  CHECK(arrival(model, layer + "bias_hh_l0") == first + 3);
  // 2 FLOP a weight and token in every LSTM, projection and the classifier, and the contexts.
  const double rows = 64.0 * 20, h = 1024;
  const double lstm = 8 * h * h * 3 + 12 * h * h + 2 * 8 * h * h + 3 * 12 * h * h;
  CHECK(model.model_flops / 3 ==
        Approx(2 * rows * (lstm + 2 * h * h + 32320 * h + 20 * h)).epsilon(1e-12));
}

TEST_CASE("selective recomputation runs attention cores again and keeps no scores", "[networks]") {
  const std::string name =
      GENERATE("bert-base", "gpt2", "vit-b/16", "t5-small", "transformer-base");
  ModelRequest request{2, 0, Precision::bf16};
  request.attention = AttentionKernel::unfused;
  const Model model = build(name, request);
  INFO(name);
  CHECK(core_bytes(model) > 0);
  CHECK(core_bytes(model) < saved_bytes(model));
  Model recomputed = model;
  apply_recompute(recomputed, Recompute::selective);
  CHECK(saved_bytes(recomputed) == Approx(saved_bytes(model) - core_bytes(model)));
  CHECK(flops(backward_kernels(recomputed)) > flops(backward_kernels(model)));
  Model whole = model;
  apply_recompute(whole, Recompute::full);
  CHECK(saved_bytes(whole) < saved_bytes(recomputed));
  for (const Layer& layer : whole.layers)
    if (layer.role == LayerRole::block) CHECK(layer.input_bytes > 0);
}
