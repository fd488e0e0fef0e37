#include "model/strategy/fsdp_units.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/error.h"

namespace dsim {

namespace {

constexpr std::size_t root = 0;

std::int64_t round_up(std::int64_t value, std::int64_t step) {
  return (value + step - 1) / step * step;
}

/// Elements of a tensor with its first dimension padded. A scalar counts as a vector of one.
std::int64_t padded_tensor(const Parameter& parameter, std::int64_t ranks) {
  const std::int64_t first = parameter.shape.empty() ? 1 : parameter.shape.front();
  if (first <= 0) return parameter.elements;
  return round_up(first, ranks) * (parameter.elements / first);
}

/// Blocks to units, the rest to the root.
void assign_layers(ShardPlan& plan, const Model& model, LayerRange range,
                   std::int64_t blocks_per_unit) {
  std::int64_t blocks = 0;
  for (std::size_t l = range.first; l < range.last; ++l) {
    const Layer& layer = model.layers[l];
    std::size_t unit = root;
    if (layer.role == LayerRole::block) {
      if (blocks++ % blocks_per_unit == 0) {
        plan.units.emplace_back();
        plan.units.back().name = layer.name;
      }
      unit = plan.units.size() - 1;
    }
    plan.unit_of_layer[l] = unit;
    plan.units[unit].layers.push_back(l);
  }
}

/// A tensor belongs where it is registered, unless a layer of another unit computes its gradient:
/// then both must find it whole, as the root's are.
void assign_parameters(ShardPlan& plan, const Model& model, LayerRange range) {
  for (std::size_t l = range.first; l < range.last; ++l)
    for (const ParameterId p : model.layers[l].parameters)
      plan.unit_of_parameter[p.index()] = plan.unit_of_layer[l];
  for (std::size_t l = range.first; l < range.last; ++l)
    for (const Kernel& kernel : model.layers[l].backward)
      for (const ParameterId p : kernel.completes) {
        std::size_t& unit = plan.unit_of_parameter[p.index()];
        if (unit == ShardPlan::nowhere) unit = plan.unit_of_layer[l];
        if (unit != plan.unit_of_layer[l]) unit = root;
      }
}

}  // namespace

ShardPlan shard_plan(const Model& model, LayerRange range, std::int64_t blocks_per_unit,
                     std::uint32_t ranks, std::uint32_t expert_ranks, ShardPadding padding) {
  if (blocks_per_unit < 1)
    throw InputError(fmt::format("a sharded unit needs at least 1 block, not {}", blocks_per_unit));
  require(range.last <= model.layers.size(), "a shard plan of layers that do not exist");
  ShardPlan plan;
  plan.units.push_back({"root", {}, {}, {}});
  plan.unit_of_layer.assign(model.layers.size(), ShardPlan::nowhere);
  plan.unit_of_parameter.assign(model.parameters.size(), ShardPlan::nowhere);
  assign_layers(plan, model, range, blocks_per_unit);
  assign_parameters(plan, model, range);
  for (ShardUnit& unit : plan.units) {
    unit.dense.ranks = ranks;
    unit.expert.ranks = std::max(1u, expert_ranks);
  }
  for (std::size_t p = 0; p < model.parameters.size(); ++p) {
    if (plan.unit_of_parameter[p] == ShardPlan::nowhere) continue;
    const Parameter& parameter = model.parameters[p];
    ShardUnit& unit = plan.units[plan.unit_of_parameter[p]];
    UnitShard& shard = parameter.expert && expert_ranks > 0 ? unit.expert : unit.dense;
    ++shard.tensors;
    shard.elements += parameter.elements;
    shard.padded += padding == ShardPadding::first_dimension ? padded_tensor(parameter, shard.ranks)
                                                             : parameter.elements;
  }
  for (ShardUnit& unit : plan.units)
    for (UnitShard* shard : {&unit.dense, &unit.expert})
      shard->padded = round_up(shard->padded, shard->ranks);
  return plan;
}

}  // namespace dsim
