#include <catch2/catch.hpp>
#include <random>

#include "tests/model/compute/sharded_network.h"
#include "tests/support/message_of.h"

using namespace dsim;
using test::ShardedNetwork;

namespace {

/// Eight blocks of 1e9 parameters and 1 GB of activations on four pipeline ranks, Megatron.
struct Pipeline : ShardedNetwork {
  explicit Pipeline(PipelineKind kind, std::int64_t micro_batches, std::uint32_t chunks = 1)
      : ShardedNetwork(8) {
    training().strategy = Strategy::megatron;
    training().schedule = kind;
    training().accumulate = micro_batches;
    training().parallel.pipeline = 4;
    training().parallel.chunks = chunks;
    request.ranks = 4;
  }
  std::vector<double> activations() const {
    std::vector<double> bytes;
    for (const MemoryFootprint& stage : stages()) bytes.push_back(stage.activations);
    return bytes;
  }
};

}  // namespace

TEST_CASE("a pipeline rank keeps the activations of its micro-batches in flight") {
  using Bytes = std::vector<double>;
  CHECK(Pipeline(PipelineKind::one_f_one_b, 16).activations() == Bytes{8e9, 6e9, 4e9, 2e9});
  CHECK(Pipeline(PipelineKind::one_f_one_b, 2).activations() == Bytes{4e9, 4e9, 4e9, 2e9});
  CHECK(Pipeline(PipelineKind::gpipe, 16).activations() == Bytes{32e9, 32e9, 32e9, 32e9});
  CHECK(Pipeline(PipelineKind::zero_bubble_h1, 16).activations() == Bytes{8e9, 8e9, 8e9, 8e9});
  CHECK(Pipeline(PipelineKind::zero_bubble_v, 16).activations() == Bytes{8e9, 8e9, 8e9, 8e9});
  // Korthikanti et al., arXiv:2205.05198: 1F1B times 1 + (p - 1)/(p v) on the first rank.
  CHECK(Pipeline(PipelineKind::interleaved, 16, 2).activations().front() ==
        Approx(8e9 * (1 + 3.0 / 8)));
}

TEST_CASE("embedding and head weigh on the ends; tied, the last rank holds a copy") {
  Pipeline pipeline(PipelineKind::one_f_one_b, 8);
  const auto parameters = [&pipeline] {
    std::vector<double> bytes;
    for (const MemoryFootprint& stage : pipeline.stages()) bytes.push_back(stage.parameters);
    return bytes;
  };
  CHECK(parameters() == std::vector<double>{5e9, 4e9, 4e9, 5e9});
  pipeline.model.layers.back().parameters.clear();
  pipeline.model.tied_embeddings = true;
  CHECK(parameters() == std::vector<double>{5e9, 4e9, 4e9, 5e9});
}

TEST_CASE("DualPipe holds two copies of the network, on mirrored ranks") {
  const auto once = Pipeline(PipelineKind::one_f_one_b, 8).stages();
  const auto twice = Pipeline(PipelineKind::dual_pipe, 8).stages();
  for (std::size_t i = 0; i < 4; ++i)
    CHECK(twice[i].parameters == once[i].parameters + once[3 - i].parameters);
}

TEST_CASE("logits count on the last rank only, and go before blocks run backward") {
  Pipeline pipeline(PipelineKind::one_f_one_b, 8);
  Layer& head = pipeline.model.layers.back();
  head.saved_bytes = 3e9;
  pipeline.model.workspace_bytes = 2e9;
  pipeline.model.recompute_bytes = 1e9;
  const auto stages = pipeline.stages();
  CHECK(stages[0].workspace == Approx(1e9));
  CHECK(stages[3].activations == Approx(2e9 + 3e9));
  CHECK(stages[3].workspace == Approx(2e9));
  pipeline.model.recompute_bytes = 7e9;  // now the worst is a block, when 3 GB of logits are gone
  CHECK(pipeline.stages()[3].workspace == Approx(7e9 - 3e9));
}

TEST_CASE("the rank that needs most stands for the job") {
  Pipeline pipeline(PipelineKind::one_f_one_b, 8);
  CHECK(pipeline.one().total() == pipeline.stages()[0].total());
}

TEST_CASE("recomputation never needs more memory to keep, nor does a longer pipeline") {
  std::mt19937 random(40);
  for (int round = 0; round < 20; ++round) {
    Pipeline plain(PipelineKind::one_f_one_b, std::uniform_int_distribution(1, 20)(random));
    for (Layer& layer : plain.model.layers)
      layer.core_attention_bytes =
          layer.saved_bytes * std::uniform_real_distribution(0.1, 0.9)(random);
    const double kept = plain.one().activations;
    apply_recompute(plain.model, Recompute::selective);
    const double selective = plain.one().activations;
    apply_recompute(plain.model, Recompute::full);
    CHECK(selective <= kept);
    CHECK(plain.one().activations <= selective);
    const double parameters = plain.one().parameters;
    plain.training().parallel.pipeline = plain.request.ranks = 8;
    CHECK(plain.one().parameters <= parameters);
  }
}

TEST_CASE("a layout that cannot be is refused") {
  Pipeline pipeline(PipelineKind::interleaved, 6, 2);
  CHECK_THAT(test::message_of([&] { (void)pipeline.stages(); }), Catch::Contains("multiple"));
  pipeline.request.ranks = 6;
  CHECK_THAT(test::message_of([&] { (void)pipeline.stages(); }),
             Catch::Contains("does not divide"));
}
