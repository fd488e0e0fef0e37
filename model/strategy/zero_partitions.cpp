#include "model/strategy/zero_partitions.h"

#include <algorithm>

namespace dsim {

namespace {

std::uint32_t group_size(const GroupFamily& family) {
  return family.groups.empty() ? 1 : static_cast<std::uint32_t>(family.groups.front().size());
}

/// Host-to-device rate of the request's topology: that of its input copies.
double pcie_rate(const TrainingRequest& request, const OffloadConstants& constants) {
  if (request.input_seconds > 0 && request.model->input_bytes > 0)
    return request.model->input_bytes / request.input_seconds;
  return constants.pcie;
}

TaskId host_task(StepWriter& writer, double seconds, const std::string& name, TaskId after) {
  Task task;
  task.kind = TaskKind::delay;
  task.phase = Phase::optimizer;
  task.stream = writer.stream("offload");
  task.seconds = seconds;
  return writer.issue(task, name, 0, {after});
}

/// Gradients go to host memory, Adam runs there, new weights come back: one after the other.
void update_on_host(StepWriter& writer, double owned, double element_bytes) {
  const OffloadConstants constants = built_in_offload_constants();
  const TrainingRequest& request = writer.request();
  const double copy = owned * element_bytes / pcie_rate(request, constants);
  const double rate = constants.cpu_adam / std::max(1u, request.ranks_per_node);
  TaskId last = host_task(writer, copy, "gradients to host", writer.last_compute());
  last = host_task(writer, owned / rate, "CPU Adam", last);
  writer.wait_for(host_task(writer, copy, "weights to GPU", last));
  writer.join(Phase::optimizer, "wait for weights");
}

}  // namespace

ZeroGroups zero_groups(StepWriter& writer) {
  const RankGrid& grid = writer.grid();
  ZeroGroups groups;
  groups[0].family = writer.data_family();
  groups[0].ranks = group_size(grid.data_groups(writer.stage()));
  const bool apart = grid.parallelism().expert > 1;
  if (apart) {
    groups[1].family = writer.expert_data_family();
    groups[1].ranks = group_size(grid.expert_data_groups(writer.stage()));
    groups[1].stream = writer.stream("expert communication");
    groups[1].of = " experts";
  }
  for (const Parameter& parameter : writer.model().parameters)
    groups[parameter.expert && apart ? 1 : 0].elements += parameter.elements;
  for (ZeroGroup& group : groups)
    group.padded = (group.elements + group.ranks - 1) / group.ranks * group.ranks;
  return groups;
}

std::size_t zero_group_of(const ZeroGroups& groups, const Parameter& parameter) {
  return parameter.expert && groups[1].elements > 0 ? 1 : 0;
}

OffloadConstants built_in_offload_constants() {
  OffloadConstants constants;
  constants.cpu_adam = {
      4.2e9, 0.4, Level::published,
      "DeepSpeed CPU Adam: 0.22 s for 1e9 and 2.57 s for 10e9 parameters (ZeRO-Offload, "
      "Ren et al. 2021, table 4)",
      "one DGX-2 host, two 24-core Xeon 8168; ranks of a node share its cores"};
  constants.pcie = {20e9, 0.5, Level::assumed, "PCIe 3 x16 gives 12, PCIe 4 x16 25 GB/s",
                    "used only where the topology does not say"};
  return constants;
}

void zero_update(StepWriter& writer, const ZeroGroups& groups) {
  const TrainingRequest& request = writer.request();
  double owned = 0;
  for (const ZeroGroup& group : groups) owned += static_cast<double>(group.owned());
  const Parallelism& parallel = writer.grid().parallelism();
  const bool split = parallel.tensor > 1 || parallel.expert > 1;
  // The norm is always taken: overflow is found by it, and gradients are unscaled with it.
  writer.clip_gradients(owned, 4, split ? writer.all_ranks() : groups[0].family);
  if (request.options.zero.offload_optimizer)
    update_on_host(writer, owned, gradient_element_bytes_of(request));
  else
    writer.optimizer(owned);
}

}  // namespace dsim
