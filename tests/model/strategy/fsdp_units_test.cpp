#include "model/strategy/fsdp_units.h"

#include <catch2/catch.hpp>

#include "sim/base/error.h"
#include "tests/model/strategy/training_setup.h"

using namespace dsim;

namespace {

ShardPlan plan_of(const Model& model, std::int64_t blocks_per_unit, std::uint32_t ranks,
                  ShardPadding padding = ShardPadding::flat, std::uint32_t expert_ranks = 0) {
  return shard_plan(model, {0, model.layers.size()}, blocks_per_unit, ranks, expert_ranks, padding);
}

}  // namespace

TEST_CASE("units hold every parameter once, blocks by the number wrapped together") {
  const std::int64_t per_unit = GENERATE(1, 2, 3, 8, 20);
  const Model model = BlockNetwork{}.model();
  const ShardPlan plan = plan_of(model, per_unit, 8);
  CHECK(plan.units.size() == static_cast<std::size_t>(1 + (8 + per_unit - 1) / per_unit));
  std::int64_t elements = 0, tensors = 0;
  std::size_t layers = 0;
  for (const ShardUnit& unit : plan.units) {
    elements += unit.dense.elements;
    tensors += unit.dense.tensors;
    layers += unit.layers.size();
  }
  CHECK(elements == model.local_parameter_count());
  CHECK(tensors == static_cast<std::int64_t>(model.parameters.size()));
  CHECK(layers == model.layers.size());
  CHECK(plan.units[0].layers == std::vector<std::size_t>{0, 9});
}

TEST_CASE("a flat unit is padded once, a unit of tensors tensor by tensor") {
  SmallNetwork network;
  network.layer({10, 6, 1});
  Model model = network.model;
  for (std::size_t p = 0; p < 3; ++p) model.layers[0].parameters.emplace_back(p);
  model.parameters[0].shape = {5, 2};
  model.parameters[1].shape = {2, 3};
  model.parameters[2].shape = {};
  const UnitShard flat = plan_of(model, 1, 4).units[1].dense;
  CHECK(flat.elements == 17);
  CHECK(flat.padded == 20);
  CHECK(flat.shard() == 5);
  const UnitShard apart = plan_of(model, 1, 4, ShardPadding::first_dimension).units[1].dense;
  CHECK(apart.padded == 8 * 2 + 4 * 3 + 4);
  CHECK(plan_of(model, 1, 1, ShardPadding::first_dimension).units[1].dense.padded == 17);
}

TEST_CASE("a tensor whose gradient another unit completes belongs to the root") {
  Model model = BlockNetwork{}.model();
  const ParameterId shared = model.layers[2].parameters[0];
  model.layers[5].backward.back().completes.push_back(shared);
  const ShardPlan plan = plan_of(model, 1, 8);
  CHECK(plan.unit_of_parameter[shared.index()] == 0);
  CHECK(plan.unit_of_parameter[model.layers[5].parameters[0].index()] == plan.unit_of_layer[5]);
}

TEST_CASE("experts are apart only where other ranks share them") {
  BlockNetwork network;
  network.experts = true;
  const Model model = network.model();
  const ShardUnit apart = plan_of(model, 1, 8, ShardPadding::flat, 2).units[1];
  CHECK(apart.expert.elements == network.block_parameters - 1024);
  CHECK(apart.expert.ranks == 2);
  CHECK(apart.dense.elements == 1024);
  CHECK(plan_of(model, 1, 8).units[1].expert.elements == 0);
}

TEST_CASE("a unit without blocks is refused") {
  CHECK_THROWS_AS(plan_of(BlockNetwork{}.model(), 0, 8), InputError);
}
