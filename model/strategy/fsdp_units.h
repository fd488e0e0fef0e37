#pragma once
// Which parameters are gathered and freed together: the modules that people wrap.
#include <cstdint>
#include <string>
#include <vector>

#include "model/strategy/training.h"
#include "model/workload/model.h"

namespace dsim {

/// How tensors of a unit are padded to the ranks that share them.
enum class ShardPadding : std::uint8_t {
  flat,            ///< FSDP1: one flat vector, padded to a multiple of the ranks
  first_dimension  ///< FSDP2: every tensor, its first dimension padded to a multiple of the ranks
};

/// Parameters of a unit that the same ranks share.
struct UnitShard {
  std::int64_t elements = 0;  ///< before padding
  std::int64_t padded = 0;    ///< what a collective moves
  std::int64_t tensors = 0;
  std::uint32_t ranks = 1;  ///< that share it
  std::int64_t shard() const { return padded / ranks; }
};

/// A wrapped module: its parameters are whole only while it runs.
struct ShardUnit {
  std::string name;
  std::vector<std::size_t> layers;  ///< rising
  UnitShard dense, expert;          ///< experts are shared by other ranks than the rest
  bool empty() const { return dense.elements + expert.elements == 0; }
};

/// Units of a run of layers. units[0] is the root: embedding, head, and tensors that layers of
/// several units complete; the others follow in forward order.
struct ShardPlan {
  static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);
  std::vector<ShardUnit> units;
  std::vector<std::size_t> unit_of_layer;      ///< by layer of the model; `nowhere` outside the run
  std::vector<std::size_t> unit_of_parameter;  ///< by parameter of the model
};

/// Wraps every `blocks_per_unit` consecutive blocks. `ranks` share dense parameters,
/// `expert_ranks` those of experts (0: experts are like the rest). InputError: blocks_per_unit
/// below 1.
ShardPlan shard_plan(const Model& model, LayerRange range, std::int64_t blocks_per_unit,
                     std::uint32_t ranks, std::uint32_t expert_ranks, ShardPadding padding);

}  // namespace dsim
