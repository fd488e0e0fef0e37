#include "model/strategy/data_parallel.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/strategy/data_parallel_step.h"
#include "model/strategy/rank_classes.h"
#include "sim/base/error.h"

namespace dsim {

namespace {

void check(const TrainingRequest& request) {
  const Parallelism& p = request.options.parallel;
  if (p.tensor * p.context * p.pipeline * p.expert != 1)
    throw InputError(
        "nn.DataParallel (--strategy dp) does not go with tensor, context, expert or pipeline "
        "parallel ranks");
  if (request.options.backend != CallBackend::nccl)
    throw InputError(
        "nn.DataParallel (--strategy dp) copies between GPUs by itself: --backend is of processes "
        "(DDP, Horovod)");
  if (request.ranks > request.ranks_per_node)
    throw InputError(
        fmt::format("nn.DataParallel (--strategy dp) is one process: {} GPUs do not sit in one "
                    "node of {} (use --strategy ddp)",
                    request.ranks, request.ranks_per_node));
}

/// GPU 0 apart, the others by speed as always.
std::vector<RankClass> classes_of(const TrainingRequest& request, const RankGrid& grid) {
  std::vector<RankClass> classes{{"GPU 0", {0}, 0, 1}};
  for (RankClass& alike : rank_classes(request, grid)) {
    const bool with_first = std::erase(alike.ranks, 0u) > 0;
    if (with_first) classes.front().speed = alike.speed;
    if (alike.ranks.empty()) continue;
    alike.program = 1;
    if (alike.name == "all ranks") alike.name = "other GPUs";
    classes.push_back(std::move(alike));
  }
  return classes;
}

}  // namespace

DataParallelConstants built_in_data_parallel_constants() {
  DataParallelConstants c;
  c.replica = {
      10e-6, .7, Level::assumed,
      "a few Python statements a module, parameter and GPU (torch/nn/parallel/replicate.py)",
      "every forward pass"};
  return c;
}

void DataParallelConstants::visit(const ConstantVisitor& visitor) {
  visitor("data_parallel.replica", replica);
}

Workload data_parallel_workload(const TrainingRequest& request,
                                const DataParallelConstants& constants) {
  check(request);
  // Forward is launched by one Python thread a GPU, and one of them holds the GIL; backward runs in
  // autograd's own threads. The parts of the batch are copied one after the other.
  HostConstants host = *request.host;
  host.forward_launch.value *= request.ranks;
  TrainingRequest shared = request;
  shared.host = &host;
  shared.input_seconds *= request.ranks;
  const RankGrid grid(request.options.parallel, request.ranks);
  Workload workload;
  SharedCalls calls(workload);
  workload.classes = classes_of(request, grid);
  for (const bool first : {true, false})
    if (first || request.ranks > 1)
      workload.programs.push_back(DataParallelStep(shared, constants, grid, calls, first).write());
  return workload;
}

}  // namespace dsim
