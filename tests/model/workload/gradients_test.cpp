// When gradients are complete: each exactly once, in the order in which DDP sees them arrive.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "model/workload/transformer/config.h"
#include "tests/model/workload/model_queries.h"

using namespace dsim;
using namespace dsim::testing;

namespace {

/// Elements of the buckets PyTorch builds from tensors in order of arrival: a tensor joins, then
/// the bucket closes if it has reached its limit (pytorch reducer.cpp,
/// compute_bucket_assignment_by_size).
std::vector<std::int64_t> bucket_elements(const Model& model, std::int64_t cap_bytes) {
  std::vector<std::int64_t> buckets;
  std::int64_t limit = 1 << 20, elements = 0;
  for (const std::size_t index : arrival_order(model)) {
    elements += model.parameters[index].elements;
    if (4 * elements < limit) continue;
    buckets.push_back(elements);
    elements = 0;
    limit = cap_bytes;
  }
  if (elements > 0) buckets.push_back(elements);
  return buckets;
}

}  // namespace

TEST_CASE("backward completes every parameter of every model exactly once") {
  const auto fusion = GENERATE(Fusion::eager, Fusion::jit, Fusion::compile);
  const auto precision = GENERATE(Precision::fp32, Precision::tf32, Precision::bf16);
  const auto attention = GENERATE(AttentionKernel::flash2, AttentionKernel::unfused);
  for (const ModelKind* kind : model_kinds()) {
    if (kind->transformer != nullptr && kind->transformer->layers > 28) continue;  // a sample
    INFO(kind->name << " " << name_of(fusion) << " " << name_of(precision));
    const Model model = kind->build(*kind, {2, 0, precision, Fp8Recipe::delayed, fusion, attention});
    std::vector<std::size_t> order = arrival_order(model);
    std::sort(order.begin(), order.end());
    REQUIRE(order.size() == model.parameters.size());
    for (std::size_t i = 0; i < order.size(); ++i) REQUIRE(order[i] == i);
    for (const Kernel& kernel : forward_kernels(model)) REQUIRE(kernel.completes.empty());
  }
}

TEST_CASE("ResNet-50 gradients arrive in the order of a recorded two-GPU trace") {
  const std::vector<std::int64_t> recorded{2'049'000, 7'875'584, 6'563'840, 6'637'568, 2'431'040};
  CHECK(bucket_elements(build("resnet-50"), 25 << 20) == recorded);
  CHECK(bucket_elements(build("resnet-50", {0, 0, Precision::fp32}), 25 << 20) == recorded);
}

TEST_CASE("ResNet-18 gradients arrive as in pytorch issue 48880") {
  const Model model = build("resnet-18");
  CHECK(bucket_elements(model, 25 << 20) ==
        std::vector<std::int64_t>{2'052'000 / 4, 28'852'224 / 4, 15'853'824 / 4});
  CHECK(bucket_elements(model, 35 << 20) ==
        std::vector<std::int64_t>{2'052'000 / 4, 38'297'600 / 4, 6'408'448 / 4});
}

TEST_CASE("a tied word embedding is complete last, after the embedding's own backward") {
  const std::string name = GENERATE("bert-large", "bert-base", "gpt2");
  const Model model = build(name);
  CHECK(arrival_order(model).back() == 0);  // the word embedding is registered first
  CHECK(backward_kernels(model).back().completes == std::vector<ParameterId>{ParameterId(0)});
}

TEST_CASE("a bias arrives before its weight, a norm's scale before its shift") {
  const Model model = build("bert-base");
  const std::vector<std::size_t> order = arrival_order(model);
  const auto arrival = [&](const std::string& name) {
    return std::find(order.begin(), order.end(), parameter_index(model, name)) - order.begin();
  };
  const std::string layer = "bert.encoder.layer.11.";
  CHECK(arrival(layer + "output.dense.bias") < arrival(layer + "output.dense.weight"));
  CHECK(arrival(layer + "output.LayerNorm.weight") < arrival(layer + "output.LayerNorm.bias"));
  // Of three projections of one input, the one computed last goes back first.
  CHECK(arrival(layer + "attention.self.value.weight") <
        arrival(layer + "attention.self.key.weight"));
  CHECK(arrival(layer + "attention.self.key.weight") <
        arrival(layer + "attention.self.query.weight"));
  // The heads go back before the pooler, the pooler before the encoder.
  CHECK(order.front() == parameter_index(model, "cls.seq_relationship.bias"));
  CHECK(arrival("cls.predictions.bias") < arrival("bert.pooler.dense.weight"));
  CHECK(arrival("bert.pooler.dense.weight") < arrival(layer + "output.LayerNorm.weight"));
}

TEST_CASE("weights are complete at their weight gradient, which autocast follows by a cast") {
  const auto last = [](Precision precision) {
    const Model model = build("resnet-50", {0, 0, precision});
    const std::size_t conv1 = parameter_index(model, "conv1.weight");
    for (const Kernel& kernel : backward_kernels(model))
      for (const ParameterId id : kernel.completes)
        if (id.index() == conv1) return kernel;
    return Kernel{};
  };
  CHECK(last(Precision::fp32).name == "conv1.wgrad");
  CHECK(last(Precision::fp32).kind == KernelKind::conv);
  CHECK(last(Precision::fp16).name == "conv1.weight_gradient_cast");
  CHECK(last(Precision::fp16).bytes == 6.0 * 64 * 3 * 7 * 7);
}
