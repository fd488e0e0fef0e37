// One rank's share of a transformer: FLOPs, parameters, bytes sent and activations against the
// closed forms of Narayanan et al. 2021, Korthikanti et al. 2022 and of the exchanges.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "model/workload/transformer/build.h"
#include "model/workload/transformer/kinds.h"
#include "tests/model/workload/model_queries.h"
#include "tests/support/message_of.h"

namespace dsim {
namespace {

using testing::backward_kernels;
using testing::forward_kernels;

/// A kind over a config of the test.
struct Sample {
  TransformerConfig config;
  ModelKind kind{"sample", "", 2, 1024, "adamw", build_transformer, &config};
  explicit Sample(const TransformerConfig& of) : config(of) {}
  Sample(const Sample&) = delete;
  Sample& operator=(const Sample&) = delete;
  Model build(const ModelRequest& request = {}) const { return kind.build(kind, request); }
};

TransformerConfig small_gpt() {
  TransformerConfig config = gpt("small", 3, 512, 16, 51200, 2048);
  return config;
}
TransformerConfig small_llama() { return llama("small", 3, 512, 16, 4, 1280, 51200, 8192); }
TransformerConfig small_moe() {
  TransformerConfig config = small_llama();
  config.experts = {8, 2, 256, 512, 1};
  return config;
}
TransformerConfig small_mla() {
  TransformerConfig config = small_moe();
  config.kv_heads = 16;
  config.latent = {96, 64, 32, 16, 32};
  return config;
}

ModelRequest asked(std::uint32_t tensor, bool sequence_parallel = false,
                   std::uint32_t context = 1) {
  ModelRequest request;
  request.micro_batch = 2;
  request.sequence = 1024;
  request.fusion = Fusion::jit;
  request.attention = AttentionKernel::flash2;
  request.half_weights = true;
  request.sharding.tensor = tensor;
  request.sharding.sequence_parallel = sequence_parallel;
  request.sharding.context = context;
  return request;
}

std::vector<Kernel> communications(const std::vector<Kernel>& kernels, ParallelGroup group) {
  std::vector<Kernel> result;
  for (const Kernel& kernel : kernels)
    if (kernel.kind == KernelKind::communication && kernel.group == group) result.push_back(kernel);
  return result;
}

double bytes(const std::vector<Kernel>& kernels, CollectiveOp op) {
  double sum = 0;
  for (const Kernel& kernel : kernels)
    if (kernel.op == op) sum += kernel.bytes;
  return sum;
}

std::size_t count(const std::vector<Kernel>& kernels, CollectiveOp op) {
  std::size_t number = 0;
  for (const Kernel& kernel : kernels) number += kernel.op == op;
  return number;
}

double gemm_flops(const std::vector<Kernel>& kernels) {
  double sum = 0;
  for (const Kernel& kernel : kernels)
    if (kernel.kind == KernelKind::gemm || kernel.kind == KernelKind::attention)
      sum += kernel.flops;
  return sum;
}

}  // namespace

TEST_CASE("model FLOPs of a GPT are Megatron's closed form, causal attention exact",
          "[transformer]") {
  const Sample sample(small_gpt());
  const double b = 2, s = 1024, h = 512, layers = 3, v = 51200;
  // 72 B s L h^2 (1 + s/(12 h) + V/(12 L h)): half of the score square
  const double closed = 72 * b * s * layers * h * h * (1 + s / (12 * h) + v / (12 * layers * h));
  CHECK(sample.build(asked(1)).model_flops == Approx(closed).epsilon(1e-12));
}

TEST_CASE("model FLOPs per token of Llama are those of the textbooks", "[transformer]") {
  struct Row {
    std::string name;
    std::int64_t sequence;
    double giga_flop;
  };
  const auto row = GENERATE(values<Row>({{"llama2-7b", 4096, 42.9},
                                         {"llama3-8b", 8192, 51.5},
                                         {"llama3-70b", 8192, 449},
                                         {"llama3-405b", 8192, 2524}}));
  ModelRequest request;
  request.micro_batch = 1;
  request.sequence = row.sequence;
  const Model model = testing::build(row.name, request);
  CHECK(model.model_flops / static_cast<double>(row.sequence) / 1e9 ==
        Approx(row.giga_flop).epsilon(0.005));
}

TEST_CASE("the ranks of a tensor x context group share model FLOPs and dense parameters",
          "[transformer]") {
  for (const TransformerConfig& config : {small_gpt(), small_llama(), small_moe(), small_mla()}) {
    const Sample sample(config);
    const Model whole = sample.build(asked(1));
    for (const auto& [tensor, context] : {std::pair{2u, 1u}, {8u, 1u}, {1u, 4u}, {4u, 2u}})
      for (const bool sequence_parallel : {false, true}) {
        INFO(tensor << " x " << context << (sequence_parallel ? " sp" : ""));
        const Model rank = sample.build(asked(tensor, sequence_parallel, context));
        CHECK(tensor * context * rank.model_flops == Approx(whole.model_flops).epsilon(1e-12));
        CHECK(rank.parameter_count() == whole.parameter_count());
        CHECK(rank.local_parameter_count() <= whole.local_parameter_count());
      }
  }
}

TEST_CASE("tensor-parallel ranks multiply 1/t each but for replicated key-value heads",
          "[transformer]") {
  const Sample sample(small_llama());  // 4 key-value heads
  const double whole = gemm_flops(forward_kernels(sample.build(asked(1)), "layers.1"));
  CHECK(4 * gemm_flops(forward_kernels(sample.build(asked(4)), "layers.1")) ==
        Approx(whole).epsilon(1e-12));
  // Two ranks hold each key-value head: 2 x (2 T h 4 d) more over all ranks.
  const double extra = 2 * (2 * 2048.0 * 512 * 4 * 32);
  CHECK(8 * gemm_flops(forward_kernels(sample.build(asked(8)), "layers.1")) ==
        Approx(whole + extra).epsilon(1e-12));
}

TEST_CASE("a tensor-parallel layer does two all-reduces of b s h each way", "[transformer]") {
  const Sample sample(small_gpt());
  const Model model = sample.build(asked(4));
  const double tensor = 2 * 2 * 1024.0 * 512;
  const auto forward = communications(forward_kernels(model, "layers.1"), ParallelGroup::tensor);
  const auto backward = communications(backward_kernels(model, "layers.1"), ParallelGroup::tensor);
  REQUIRE(forward.size() == 2);
  REQUIRE(backward.size() == 2);
  CHECK(bytes(forward, CollectiveOp::all_reduce) == 2 * tensor);
  CHECK(bytes(backward, CollectiveOp::all_reduce) == 2 * tensor);
  for (const Kernel& kernel : forward) CHECK(kernel.hidden_behind == 0);
  for (const Kernel& kernel : backward) CHECK(kernel.hidden_behind == 2);  // bias, weight

  ModelRequest synchronous = asked(4);
  synchronous.sharding.async_tensor_backward = false;
  const Model blocking = sample.build(synchronous);
  for (const Kernel& kernel :
       communications(backward_kernels(blocking, "layers.1"), ParallelGroup::tensor))
    CHECK(kernel.hidden_behind == 0);
}

TEST_CASE("sequence parallelism gathers and scatters twice each way and gathers twice more",
          "[transformer]") {
  const Sample sample(small_gpt());
  const Model model = sample.build(asked(4, true));
  const double tensor = 2 * 2 * 1024.0 * 512;
  const auto forward = communications(forward_kernels(model, "layers.1"), ParallelGroup::tensor);
  const auto backward = communications(backward_kernels(model, "layers.1"), ParallelGroup::tensor);
  CHECK(count(forward, CollectiveOp::all_gather) == 2);
  CHECK(count(forward, CollectiveOp::reduce_scatter) == 2);
  CHECK(count(backward, CollectiveOp::all_gather) == 4);
  CHECK(count(backward, CollectiveOp::reduce_scatter) == 2);
  for (const auto& kernels : {forward, backward})
    for (const Kernel& kernel : kernels) CHECK(kernel.bytes == tensor);
}

TEST_CASE("a hidden collective is followed by as many kernels of its own layer", "[transformer]") {
  for (const TransformerConfig& config : {small_gpt(), small_mla()}) {
    const Sample sample(config);
    for (const Fusion fusion : {Fusion::eager, Fusion::jit, Fusion::compile}) {
      ModelRequest request = asked(4, true, 2);
      request.fusion = fusion;
      request.sharding.tensor_overlap = true;
      const Model model = sample.build(request);
      for (const Layer& layer : model.layers)
        for (const auto* list : {&layer.forward, &layer.backward})
          for (std::size_t i = 0; i < list->size(); ++i) {
            const int hidden = (*list)[i].hidden_behind;
            INFO(layer.name << ' ' << (*list)[i].name);
            REQUIRE(hidden >= 0);
            REQUIRE(i + static_cast<std::size_t>(hidden) < list->size());
            for (int next = 1; next <= hidden; ++next)
              CHECK((*list)[i + static_cast<std::size_t>(next)].kind != KernelKind::communication);
          }
    }
  }
}

TEST_CASE("with overlap every tensor-parallel collective of a block runs beside its GEMM",
          "[transformer]") {
  const Sample sample(small_llama());
  ModelRequest request = asked(4, true);
  request.sharding.tensor_overlap = true;
  const Model model = sample.build(request);
  for (const auto& kernels :
       {forward_kernels(model, "layers.1"), backward_kernels(model, "layers.1")})
    for (std::size_t i = 0; i < kernels.size(); ++i)
      if (kernels[i].kind == KernelKind::communication) {
        INFO(kernels[i].name);
        CHECK(kernels[i].hidden_behind >= 1);
        CHECK(kernels[i + 1].kind == KernelKind::gemm);
      }
}

TEST_CASE("activations of a block are Korthikanti's closed forms", "[transformer]") {
  const Sample sample(small_gpt());
  const double s = 1024, b = 2, h = 512, a = 16, t = 4;
  const double sbh = s * b * h, scores = 5 * a * s / h;
  const auto saved = [&](bool sequence_parallel, std::uint32_t tensor, Recompute recompute) {
    ModelRequest request = asked(tensor, sequence_parallel);
    request.attention = AttentionKernel::unfused;
    Model model = sample.build(request);
    apply_recompute(model, recompute);
    return model.layers[2].saved_bytes;
  };
  CHECK(saved(false, 1, Recompute::none) == Approx(sbh * (34 + scores)).epsilon(0.01));
  CHECK(saved(false, 4, Recompute::none) == Approx(sbh * (10 + 24 / t + scores / t)).epsilon(0.01));
  CHECK(saved(true, 4, Recompute::none) == Approx(sbh / t * (34 + scores)).epsilon(0.01));
  CHECK(saved(true, 4, Recompute::selective) == Approx(sbh / t * 34).epsilon(0.01));
  CHECK(saved(false, 4, Recompute::full) == Approx(2 * sbh).epsilon(1e-12));
  CHECK(saved(true, 4, Recompute::full) == Approx(2 * sbh / t).epsilon(1e-12));
}

TEST_CASE("fused attention keeps 34 s b h as selective recomputation does", "[transformer]") {
  const Sample sample(small_gpt());
  const Model model = sample.build(asked(4, true));
  CHECK(model.layers[2].saved_bytes == Approx(2.0 * 1024 * 512 / 4 * 34).epsilon(0.02));
}

TEST_CASE("selective recomputation runs core attention again and nothing else", "[transformer]") {
  const Sample sample(small_gpt());
  for (const auto& [attention, kernels] :
       {std::pair{AttentionKernel::unfused, std::size_t{4}}, {AttentionKernel::flash2, 1}}) {
    ModelRequest request = asked(4);
    request.attention = attention;
    Model model = sample.build(request);
    const std::size_t before = model.layers[2].backward.size();
    apply_recompute(model, Recompute::selective);
    CHECK(model.layers[2].backward.size() == before + kernels);
  }
}

TEST_CASE("full recomputation repeats the forward collectives too", "[transformer]") {
  const Sample sample(small_gpt());
  Model model = sample.build(asked(4));
  apply_recompute(model, Recompute::full);
  CHECK(communications(backward_kernels(model, "layers.1"), ParallelGroup::tensor).size() == 4);
}

TEST_CASE("ring attention sends keys and values c - 1 times, twice as much in backward",
          "[transformer]") {
  const Sample sample(small_llama());
  const Model model = sample.build(asked(2, false, 4));
  const double kv = 2 * 2 * 2 * 256.0 * 2 * 32;  // e, K and V, b, s / c, 2 heads of 32
  const auto forward = communications(forward_kernels(model, "layers.1"), ParallelGroup::context);
  const auto backward = communications(backward_kernels(model, "layers.1"), ParallelGroup::context);
  CHECK(forward.size() == 3);
  CHECK(bytes(forward, CollectiveOp::sendrecv) == 3 * kv);
  CHECK(bytes(backward, CollectiveOp::sendrecv) == 6 * kv);
}

TEST_CASE("gathered keys and values, and heads exchanged for tokens, move the closed forms",
          "[transformer]") {
  const Sample sample(small_llama());
  ModelRequest request = asked(1, false, 4);
  request.sharding.context_exchange = ContextExchange::gather;
  const double whole = 2 * 2 * 2 * 1024.0 * 4 * 32;  // e, K and V, b, s, 4 heads of 32
  const Model gathered = sample.build(request);
  CHECK(bytes(communications(forward_kernels(gathered, "layers.1"), ParallelGroup::context),
              CollectiveOp::all_gather) == whole);
  const auto back = communications(backward_kernels(gathered, "layers.1"), ParallelGroup::context);
  CHECK(bytes(back, CollectiveOp::all_gather) == whole);
  CHECK(bytes(back, CollectiveOp::reduce_scatter) == whole);

  request.sharding.context_exchange = ContextExchange::all_to_all;
  const Model exchanged = sample.build(request);
  const double tokens = 2 * 2 * 256.0;
  for (const auto& kernels :
       {forward_kernels(exchanged, "layers.1"), backward_kernels(exchanged, "layers.1")}) {
    const auto calls = communications(kernels, ParallelGroup::context);
    CHECK(calls.size() == 4);
    CHECK(bytes(calls, CollectiveOp::all_to_all) == tokens * (2 * 512 + 2 * 4 * 32));
  }
}

TEST_CASE("every exchange of context parallelism computes the same attention", "[transformer]") {
  const Sample sample(small_llama());
  const auto attention = [&](std::uint32_t context, ContextExchange exchange) {
    ModelRequest request = asked(1, false, context);
    request.sharding.context_exchange = exchange;
    double sum = 0;
    for (const Kernel& kernel : forward_kernels(sample.build(request), "layers.1"))
      if (kernel.kind == KernelKind::attention) sum += kernel.flops;
    return sum;
  };
  const double whole = attention(1, ContextExchange::ring);
  for (const ContextExchange exchange :
       {ContextExchange::ring, ContextExchange::gather, ContextExchange::all_to_all})
    CHECK(4 * attention(4, exchange) == Approx(whole).epsilon(1e-12));
}

TEST_CASE("experts get tokens x top_k copies by all-to-all, two each way", "[transformer]") {
  const Sample sample(small_moe());
  ModelRequest request = asked(1);
  request.sharding.expert = 4;
  const double copies = 2 * 1024.0 * 2 * 512;  // tokens, top_k, hidden
  for (const bool fp8 : {false, true}) {
    request.sharding.fp8_dispatch = fp8;
    const Model model = sample.build(request);
    for (const auto& kernels :
         {forward_kernels(model, "layers.1"), backward_kernels(model, "layers.1")}) {
      const auto calls = communications(kernels, ParallelGroup::expert);
      CHECK(calls.size() == 2);
      CHECK(bytes(calls, CollectiveOp::all_to_all) == (fp8 ? 3 : 4) * copies);
    }
    CHECK(communications(forward_kernels(model, "layers.0"), ParallelGroup::expert).empty());
  }
}

TEST_CASE("expert-parallel ranks hold their share of the experts and do as much work",
          "[transformer]") {
  const Sample sample(small_moe());
  const auto experts = [](const Model& model) {
    std::int64_t sum = 0;
    for (const Parameter& parameter : model.parameters)
      if (parameter.expert) sum += parameter.elements;
    return sum;
  };
  const Model whole = sample.build(asked(1));
  ModelRequest request = asked(1);
  request.sharding.expert = 8;
  const Model rank = sample.build(request);
  CHECK(8 * experts(rank) == experts(whole));
  CHECK(rank.parameter_count() == whole.parameter_count());
  CHECK(rank.active_parameters == whole.active_parameters);
  CHECK(whole.active_parameters == whole.parameter_count() - experts(whole) * 3 / 4);
  CHECK(gemm_flops(forward_kernels(rank)) == gemm_flops(forward_kernels(whole)));
}

TEST_CASE("an expert on fewer tensor ranks than attention sees 1/t of the tokens",
          "[transformer]") {
  const Sample sample(small_moe());
  ModelRequest request = asked(4, true);
  const auto flops_with = [&](std::uint32_t expert_tensor) {
    request.sharding.expert_tensor = expert_tensor;
    return gemm_flops(forward_kernels(sample.build(request), "layers.1"));
  };
  CHECK(flops_with(1) == flops_with(4));
  request.sharding.sequence_parallel = false;
  CHECK(flops_with(4) > 0);
  CHECK_THAT(test::message_of([&] { flops_with(1); }),
             Catch::Contains("need sequence parallelism"));
}

TEST_CASE("logits are spread: the loss takes three small all-reduces", "[transformer]") {
  const Sample sample(small_gpt());
  const Model model = sample.build(asked(4));
  const auto calls = communications(forward_kernels(model, "head"), ParallelGroup::tensor);
  REQUIRE(calls.size() == 3);
  for (const Kernel& kernel : calls) CHECK(kernel.bytes == 4 * 2 * 1024.0);
  CHECK(communications(forward_kernels(model, "embeddings"), ParallelGroup::tensor).size() == 1);
}

TEST_CASE("a vocabulary is padded to 128 rows a rank and counted without", "[transformer]") {
  TransformerConfig config = small_llama();
  config.vocabulary = 50257;
  const Sample sample(config);
  CHECK(sample.build(asked(8)).parameters.front().shape.front() == 51200 / 8);
  CHECK(sample.build(asked(1)).parameters.front().shape.front() == 50257);
  CHECK(sample.build(asked(8)).parameter_count() == sample.build(asked(1)).parameter_count());
}

TEST_CASE("fused gradient accumulation adds fp32 traffic to weight gradients alone",
          "[transformer]") {
  const Sample sample(small_gpt());
  ModelRequest request = asked(1);
  const auto gemm_bytes = [&] {
    double sum = 0;
    for (const Kernel& kernel : backward_kernels(sample.build(request), "layers.1"))
      if (kernel.kind == KernelKind::gemm) sum += kernel.bytes;
    return sum;
  };
  const double without = gemm_bytes();
  request.sharding.fused_gradient_accumulation = true;
  CHECK(gemm_bytes() - without == Approx(6 * 12 * 512.0 * 512));
}

TEST_CASE("16-bit weights need no casts", "[transformer]") {
  const Sample sample(small_gpt());
  ModelRequest request = asked(1);
  const auto casts = [&] {
    int sum = 0;
    for (const Kernel& kernel : forward_kernels(sample.build(request)))
      sum += kernel.name.find(".cast") != std::string::npos;
    return sum;
  };
  CHECK(casts() == 0);
  request.half_weights = false;
  CHECK(casts() == 3 * 4 + 1);
}

TEST_CASE("backward completes every parameter of sharded transformers once", "[transformer]") {
  for (const TransformerConfig& config : {small_gpt(), small_llama(), small_moe(), small_mla()})
    for (const bool sequence_parallel : {false, true})
      for (const Fusion fusion : {Fusion::eager, Fusion::jit, Fusion::compile}) {
        ModelRequest request = asked(4, sequence_parallel);
        request.fusion = fusion;
        const Model model = Sample(config).build(request);
        std::vector<std::size_t> order = testing::arrival_order(model);
        std::sort(order.begin(), order.end());
        REQUIRE(order.size() == model.parameters.size());
        for (std::size_t i = 0; i < order.size(); ++i) REQUIRE(order[i] == i);
      }
}

TEST_CASE("degrees that do not divide a network are refused with the rule", "[transformer]") {
  struct Row {
    LayerSharding sharding;
    std::int64_t sequence;
    std::string message;
  };
  const auto with = [](auto set) {
    LayerSharding sharding;
    set(sharding);
    return sharding;
  };
  const std::vector<Row> rows{
      {with([](auto& s) { s.tensor = 3; }), 1024, "16 heads must be a multiple of the 3"},
      {with([](auto& s) { s.tensor = 32; }), 1024, "16 heads must be a multiple of the 32"},
      {with([](auto& s) { s.expert = 3; }), 1024, "8 experts must be a multiple of the 3"},
      {with([](auto& s) { s.context = 3; }), 1024, "1024 tokens of a sequence must be a multiple"},
      {with([](auto& s) { s.context = 4; }), 1028, "twice"},
      {with([](auto& s) {
         s.context = 8;
         s.context_exchange = ContextExchange::all_to_all;
       }),
       1024, "4 key-value heads of a tensor-parallel rank"},
      {with([](auto& s) {
         s.tensor = 8;
         s.sequence_parallel = true;
       }),
       1001, "2002 tokens of a rank must be a multiple of the 8 sequence-parallel"},
  };
  const Sample sample(small_moe());
  for (const Row& row : rows) {
    ModelRequest request = asked(1);
    request.sharding = row.sharding;
    request.sequence = row.sequence;
    CHECK_THAT(test::message_of([&] { sample.build(request); }), Catch::Contains(row.message));
  }
  ModelRequest experts = asked(1);
  experts.sharding.expert = 2;
  CHECK_THAT(test::message_of([&] { Sample(small_gpt()).build(experts); }),
             Catch::Contains("has no experts"));
  TransformerConfig three = small_llama();
  three.heads = 48;
  three.kv_heads = 3;
  three.head_size = 32;
  CHECK_THAT(test::message_of([&] { Sample(three).build(asked(2)); }),
             Catch::Contains("3 key-value heads and 2 tensor-parallel ranks"));
  CHECK_THAT(test::message_of([&] { testing::build("bert", asked(2)); }),
             Catch::Contains("tensor parallelism (2) is not available"));
}

TEST_CASE("GPT-2 can be cut over tensor-parallel ranks", "[transformer]") {
  const Model model = testing::build("gpt2", asked(4));
  CHECK(model.parameter_count() == 124'439'808);
}

TEST_CASE("a sliding window leaves out what lies further back", "[transformer]") {
  TransformerConfig config = small_llama();
  const double whole = Sample(config).build(asked(1)).model_flops;
  config.window = 256;
  const double windowed = Sample(config).build(asked(1)).model_flops;
  // 3 layers x 3 passes x 4 b a d (s^2 / 2 - w (s - w / 2)), b = 2, a d = 512
  const double pairs = 1024.0 * 1024 / 2 - 256 * (1024 - 128.0);
  CHECK(whole - windowed == Approx(3 * 3 * 4 * 2 * 512 * pairs).epsilon(1e-9));
  config.window = 4096;
  CHECK(Sample(config).build(asked(1)).model_flops == Approx(whole).epsilon(1e-12));
}

}  // namespace dsim
