#include <catch2/catch.hpp>

#include "tests/model/compute/sharded_network.h"

using namespace dsim;
using Catch::Contains;
using test::ShardedNetwork;

TEST_CASE("the distributed optimizer is advised where it suffices") {
  ShardedNetwork network(9);
  network.training().strategy = Strategy::megatron;
  network.request.ranks = 8;
  network.gpu.hbm_bytes = 100e9;  // 180 GB of states, or 75
  CHECK_THAT(memory_advice(network.request), Contains("--distributed-optimizer"));
}

TEST_CASE("recomputation is advised where activations are too much for one sample") {
  ShardedNetwork network(9);
  network.training().strategy = Strategy::zero3;
  network.request.ranks = 64;
  for (Layer& layer : network.model.layers) layer.saved_bytes *= 20;
  CHECK_THAT(memory_advice(network.request), Contains("Full recomputation (--recompute full)"));
  for (Layer& layer : network.model.layers) layer.core_attention_bytes = 0.9 * layer.saved_bytes;
  CHECK_THAT(memory_advice(network.request), Contains("--recompute selective"));
}

TEST_CASE("sharding is advised where the states do not fit") {
  ShardedNetwork network(9);
  network.request.ranks = 64;
  CHECK_THAT(memory_advice(network.request),
             Contains("No micro-batch fits") && Contains("--strategy fsdp2"));
  network.training().strategy = Strategy::zero1;
  for (Layer& layer : network.model.layers) layer.saved_bytes = 0;
  network.gpu.hbm_bytes = 40e9;  // as much as weights and gradients take, without buckets
  CHECK_THAT(memory_advice(network.request), Contains("--strategy zero2"));
  network.gpu.hbm_bytes = 20e9;
  CHECK_THAT(memory_advice(network.request), Contains("--strategy zero3"));
}

TEST_CASE("a longer pipeline is advised where nothing else helps") {
  ShardedNetwork network(16);
  network.training().strategy = Strategy::megatron;
  network.training().megatron.distributed_optimizer = true;
  network.request.ranks = 64;
  CHECK_THAT(memory_advice(network.request), Contains("2 pipeline stages (--pp 2)"));
  network.gpu.hbm_bytes = 40e9;
  CHECK_THAT(memory_advice(network.request), Contains("4 pipeline stages (--pp 4)"));
}

TEST_CASE("no advice is given in vain: what is advised fits, or it is said that nothing does") {
  ShardedNetwork network(16);
  network.training().strategy = Strategy::megatron;
  network.gpu.hbm_bytes = 4e9;
  CHECK_THAT(memory_advice(network.request),
             Contains("more GPUs") && Contains("needs more memory"));
}
