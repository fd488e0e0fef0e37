#pragma once
// Who runs which micro-batch when, in a pipeline: order only, no times.
#include <cstdint>
#include <string_view>
#include <vector>

namespace dsim {

enum class PipelineKind : std::uint8_t {
  gpipe,
  one_f_one_b,
  interleaved,
  zero_bubble_h1,
  zero_bubble_v,
  dual_pipe
};
std::string_view name_of(PipelineKind kind);
PipelineKind pipeline_kind_from(std::string_view name);  ///< InputError lists the known ones

/// backward: input and weight gradients together; the zero-bubble schedules and DualPipe run them
/// apart.
enum class PipelineWork : std::uint8_t { forward, backward, input_gradient, weight_gradient };

struct PipelineAction {
  PipelineWork work = PipelineWork::forward;
  std::int32_t micro_batch = 0;
  std::int32_t chunk = 0;  ///< of the rank
  /// Runs beside the action that follows it: DualPipe hides the communication of a forward and of a
  /// backward pass behind each other's kernels.
  bool beside_next = false;
};

/// Costs that schedules with free choices (zero-bubble, DualPipe) order by; any unit.
struct PipelineCosts {
  double forward = 1, input_gradient = 1, weight_gradient = 1, send = 0;
};

/// The actions of every pipeline rank in order, and where the parts of the network lie.
struct PipelineSchedule {
  std::vector<std::vector<PipelineAction>> ranks;
  /// parts[i] = the i-th part of the network in forward order: who holds it, as which chunk.
  struct Part {
    std::uint32_t rank = 0;
    std::int32_t chunk = 0;
  };
  /// By direction. One for all schedules but DualPipe, whose second half of micro-batches runs the
  /// other way through a second copy of the parameters.
  std::vector<std::vector<Part>> paths;
  std::vector<std::uint8_t> direction;  ///< by micro-batch: index into paths
};

/// `chunks` is the virtual pipeline size: > 1 for interleaved only (zero_bubble_v and dual_pipe
/// have two by nature). InputError with the rule: interleaved needs micro-batches that are a
/// multiple of the ranks, DualPipe an even number of ranks and micro-batches of at least twice
/// the ranks, ...
PipelineSchedule pipeline_schedule(PipelineKind kind, std::uint32_t ranks, std::uint32_t chunks,
                                   std::int64_t micro_batches, const PipelineCosts& costs = {});

/// Most micro-batches whose activations a rank holds at once, in units of a chunk.
std::int64_t most_in_flight(const PipelineSchedule& schedule, std::uint32_t rank);

}  // namespace dsim
