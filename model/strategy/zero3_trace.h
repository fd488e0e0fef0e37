#pragma once
// What ZeRO stage 3 gathers when: its coordinator follows the recorded order of modules.
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "model/strategy/options.h"
#include "model/workload/model.h"

namespace dsim {

/// The tensors of a module that are partitioned.
struct Zero3Module {
  std::string name;
  std::int64_t elements = 0;
  bool expert = false;
};

/// Modules gathered by one coalesced collective.
struct Zero3Gather {
  std::vector<std::size_t> modules;
  std::array<std::int64_t, 2> elements{};  ///< dense, experts
};

/// A layer runs, forward or backward.
struct Zero3Use {
  std::size_t layer = 0;
  std::vector<std::size_t> modules;
  std::vector<std::size_t> starts;  ///< gathers issued before it, its own first
  std::vector<std::size_t> waits;   ///< gathers it cannot run without
};

/// One micro-batch: forward through all layers, then backward.
struct Zero3Trace {
  std::vector<Zero3Module> modules;
  std::vector<Zero3Gather> gathers;
  std::vector<Zero3Use> uses;
  std::int64_t persistent = 0;  ///< elements of tensors too small to be partitioned
  std::int64_t persistent_experts = 0;
  std::int64_t most_live = 0;  ///< elements gathered at once
};

/// stage3_max_reuse_distance and stage3_max_live_parameters, elements.
inline constexpr std::int64_t zero3_reuse_distance = 1'000'000'000;
inline constexpr std::int64_t zero3_live_parameters = 1'000'000'000;

/// Source: DeepSpeed deepspeed/runtime/zero/partitioned_param_coordinator.py. `experts_apart`:
/// experts are gathered by other ranks than the rest.
Zero3Trace zero3_trace(const Model& model, const ZeroOptions& options, bool experts_apart = false,
                       std::int64_t reuse_distance = zero3_reuse_distance,
                       std::int64_t live_parameters = zero3_live_parameters);

}  // namespace dsim
