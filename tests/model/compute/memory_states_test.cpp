#include <catch2/catch.hpp>

#include "model/compute/memory.h"
#include "tests/model/compute/sharded_network.h"

using namespace dsim;
using test::ShardedNetwork;

namespace {

constexpr double billion = 1e9;

double states(const MemoryFootprint& memory) {
  return memory.parameters + memory.gradients + memory.optimizer;
}

/// Bytes a parameter of 1e10 of them (nine blocks and the ends).
double bytes_per_parameter(Strategy strategy, std::uint32_t ranks) {
  ShardedNetwork network(9);
  network.training().strategy = strategy;
  network.request.ranks = ranks;
  return states(network.one()) / (10 * billion);
}

}  // namespace

// Rajbhandari et al., arXiv:1910.02054, with K = 12.
TEST_CASE("ZeRO takes 4 + 12/N, 2 + 14/N and 16/N bytes a parameter") {
  const std::uint32_t ranks = GENERATE(1U, 2U, 8U, 64U);
  const double n = ranks;
  CHECK(bytes_per_parameter(Strategy::zero1, ranks) == Approx(4 + 12 / n));
  CHECK(bytes_per_parameter(Strategy::zero2, ranks) == Approx(2 + 14 / n));
  CHECK(bytes_per_parameter(Strategy::zero3, ranks) == Approx(16 / n));
}

// Megatron-LM, training/theoretical_memory_usage.py.
TEST_CASE("Megatron takes 18 bytes a parameter, 6 + 12/N with the distributed optimizer") {
  ShardedNetwork network(9);
  network.training().strategy = Strategy::megatron;
  network.request.ranks = 8;
  CHECK(states(network.one()) == Approx(18 * 10 * billion));
  network.training().megatron.distributed_optimizer = true;
  CHECK(states(network.one()) == Approx((6 + 12.0 / 8) * 10 * billion));
  network.training().megatron.grad_reduce = Precision::bf16;
  CHECK(states(network.one()) == Approx((4 + 12.0 / 8) * 10 * billion));
}

TEST_CASE("context-parallel ranks shard as data-parallel ones do") {
  ShardedNetwork network(9);
  network.training().strategy = Strategy::megatron;
  network.training().megatron.distributed_optimizer = true;
  network.training().parallel.context = 4;
  network.request.ranks = 8;
  CHECK(states(network.one()) == Approx((6 + 12.0 / 8) * 10 * billion));
}

TEST_CASE("experts are sharded over the ranks that hold the same ones") {
  ShardedNetwork network(9);
  network.add(LayerRole::block, 1'000'000'000, 0, true);
  network.training().strategy = Strategy::megatron;
  network.training().megatron.distributed_optimizer = true;
  network.training().parallel.expert = 4;
  network.request.ranks = 8;
  CHECK(states(network.one()) == Approx((6 + 12.0 / 8) * 10 * billion + (6 + 12.0 / 2) * billion));
}

TEST_CASE("offloaded optimizer states are not on the GPU") {
  ShardedNetwork network(9);
  network.training().zero.offload_optimizer = true;
  network.training().strategy = GENERATE(Strategy::zero1, Strategy::zero2, Strategy::zero3);
  network.request.ranks = 8;
  CHECK(network.one().optimizer == 0);
}

TEST_CASE("FSDP shards 16 bytes a parameter and gathers two blocks and the root") {
  ShardedNetwork network(9);
  network.training().strategy = GENERATE(Strategy::fsdp1, Strategy::fsdp2);
  network.request.ranks = 8;
  CHECK(states(network.one()) == Approx(16.0 / 8 * 10 * billion));
  // bf16: root and two blocks; gradients of root and a block; fp32 input of a reduce-scatter.
  CHECK(network.one().gathered == Approx((2 * 3 + 2 * 2 + 4) * billion));
  network.training().fsdp.reduce = Precision::bf16;
  CHECK(network.one().gathered == Approx((2 * 3 + 2 * 2 + 2) * billion));
  network.training().fsdp.reshard_after_forward = false;
  CHECK(network.one().gathered == Approx((2 * 10 + 2 * 2 + 2) * billion));
  network.training().fsdp.shard_size = 2;  // hybrid
  CHECK(states(network.one()) == Approx(16.0 / 2 * 10 * billion));
}

TEST_CASE("more data-parallel ranks never need more memory where states are sharded") {
  const Strategy strategy = GENERATE(Strategy::fsdp1, Strategy::fsdp2, Strategy::zero1,
                                     Strategy::zero2, Strategy::zero3, Strategy::megatron);
  ShardedNetwork network(9);
  network.training().strategy = strategy;
  network.training().megatron.distributed_optimizer = true;
  double before = 0;
  for (const std::uint32_t ranks : {512U, 64U, 8U, 2U}) {
    network.request.ranks = ranks;
    const double total = network.one().total();
    CAPTURE(name_of(strategy), ranks);
    CHECK(total >= before);
    before = total;
  }
}

TEST_CASE("the first GPU of DataParallel holds the sums of all gradients and all outputs") {
  ShardedNetwork network(2);
  network.model.layers.back().saved_bytes = 1e9;
  network.request.half_weights = false;
  network.request.precision = Precision::fp32;
  network.training().strategy = Strategy::data_parallel;
  const MemoryFootprint alone = network.one();
  network.request.ranks = 4;
  const MemoryFootprint first = network.one();
  CHECK(first.buckets - alone.buckets == Approx(4 * 3 * billion));
  CHECK(first.workspace - alone.workspace == Approx(3e9));
}

TEST_CASE("fp8 training with Transformer Engine keeps 8-bit weights and their transposes") {
  ShardedNetwork network(9);
  network.training().strategy = Strategy::megatron;
  const double half = network.one().parameters;
  network.request.precision = Precision::fp8;
  CHECK(network.one().parameters - half == Approx(2 * 9 * billion));
}
