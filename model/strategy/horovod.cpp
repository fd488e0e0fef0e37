#include "model/strategy/horovod.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/strategy/horovod_control.h"
#include "model/strategy/horovod_cycles.h"
#include "model/strategy/horovod_step.h"
#include "model/strategy/program_replay.h"
#include "model/strategy/rank_classes.h"
#include "sim/base/error.h"

namespace dsim {

namespace {

void check(const TrainingRequest& request) {
  const TrainingOptions& options = request.options;
  if (options.strategy != Strategy::ddp)
    throw InputError(fmt::format(
        "Horovod keeps the whole model on every rank: --framework horovod does not go with "
        "--strategy {}",
        name_of(options.strategy)));
  const Parallelism& p = options.parallel;
  if (p.tensor * p.context * p.pipeline * p.expert != 1)
    throw InputError(
        "Horovod is data parallel: --framework horovod does not go with tensor, context, expert or "
        "pipeline parallel ranks");
  const std::int64_t passes = options.horovod.backward_passes_per_step;
  if (passes > 1 && passes != options.accumulate)
    throw InputError(fmt::format(
        "backward_passes_per_step {} is not the {} micro-batches of a step (--accumulate {}): a "
        "gradient would be reduced {}",
        passes, options.accumulate, passes, passes < options.accumulate ? "twice" : "too early"));
  if (options.ddp.compression == Compression::bf16)
    throw InputError("Horovod compresses gradients to fp16 only (--compress fp16)");
  if (!(options.horovod.cycle_seconds >= 0)) throw InputError("a cycle time must not be negative");
  if (options.horovod.fusion_threshold.count < 0)
    throw InputError("a fusion threshold must not be negative");
}

/// Cycles of all ranks go in step with the slowest one.
double slowest(const TrainingRequest& request) {
  double factor = 1;
  for (const auto& [rank, slow] : request.stragglers) factor = std::max(factor, slow);
  return factor;
}

struct Planned {
  std::vector<GradientArrival> arrivals;
  std::vector<EnqueuedGradient> gradients;
  std::vector<HorovodResponse> responses;
};

Planned plan(const TrainingRequest& request, const HorovodConstants& constants,
             const RankGrid& grid) {
  Workload draft;
  SharedCalls calls(draft);
  HorovodStep step(request, constants, grid, calls);
  const Program program = step.write();
  const auto times =
      replay(program, step.synchronized(), request.host->launch_latency, slowest(request));
  Planned planned;
  planned.gradients = step.enqueued();
  for (const EnqueuedGradient& gradient : planned.gradients)
    planned.arrivals.push_back({times[gradient.enqueued.index()].issued,
                                times[gradient.computed.index()].end, gradient.bytes});
  const HorovodOptions& options = request.options.horovod;
  HorovodThread thread;
  thread.cycle = options.cycle_seconds;
  thread.threshold = applied_threshold(options.fusion_threshold, request.ranks_per_node);
  thread.padding = options.batched_copies && !step.on_host() ? 16 : 1;
  thread.waits_for_data = step.waits_for_data();
  thread.negotiation = [&](std::int64_t tensors) {
    return negotiation_seconds(options.control, constants, request.ranks, options.response_cache,
                               options.response_cache ? 0 : tensors);
  };
  thread.work = [&](std::size_t tensors, Bytes bytes) {
    return step.thread_seconds(tensors, bytes);
  };
  planned.responses = run_cycles(planned.arrivals, thread);
  return planned;
}

}  // namespace

HorovodPlan horovod_plan(const TrainingRequest& request, const HorovodConstants& constants) {
  check(request);
  HorovodPlan result;
  if (request.ranks == 1) return result;
  const RankGrid grid(request.options.parallel, request.ranks);
  const Planned planned = plan(request, constants, grid);
  for (const HorovodResponse& response : planned.responses) {
    auto& tensors = result.tensors.emplace_back();
    for (const std::size_t member : response.members)
      tensors.push_back(planned.gradients[member].parameter);
    result.negotiated.push_back(response.negotiated);
  }
  if (!planned.responses.empty()) result.cycles = planned.responses.back().cycle + 1;
  return result;
}

Workload horovod_workload(const TrainingRequest& request, const HorovodConstants& constants) {
  check(request);
  const RankGrid grid(request.options.parallel, request.ranks);
  Workload workload;
  SharedCalls calls(workload);
  workload.classes = rank_classes(request, grid);
  Planned planned;
  if (request.ranks > 1) planned = plan(request, constants, grid);
  HorovodStep step(request, constants, grid, calls, planned.responses, planned.arrivals);
  workload.programs.push_back(step.write());
  return workload;
}

std::vector<CollectiveCall> horovod_start_up(const Model& model) {
  std::vector<CollectiveCall> calls;
  for (const Parameter& parameter : model.parameters) {
    CollectiveCall call;
    call.op = CollectiveOp::broadcast;
    call.bytes = Bytes{4 * parameter.elements};
    calls.push_back(call);
  }
  return calls;
}

}  // namespace dsim
