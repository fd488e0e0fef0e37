#include "calibrate/validate/collective/plan.h"

#include <fmt/format.h>

#include <map>
#include <regex>

#include "calibrate/validate/collective/machine_rules.h"
#include "calibrate/validate/collective/network_rules.h"
#include "calibrate/validate/collective/pcie_boxes.h"
#include "calibrate/validate/collective/run_rules.h"
#include "model/collective/algorithm.h"
#include "sim/base/error.h"

namespace dsim {
namespace {

constexpr std::int64_t most_nodes = 4096;

/// Topologies are built once; many runs are of one machine.
using Shelf = std::map<std::string, std::shared_ptr<const Topology>>;

std::string first_line(std::string_view what) {
  what = what.substr(0, what.find('\n'));
  if (what.starts_with("error: ")) what.remove_prefix(7);
  return std::string(what);
}

std::string nics_text(const NetworkRule& network) {
  std::string text;
  const auto add = [&](const std::string& member) { text += (text.empty() ? "" : ", ") + member; };
  if (!network.kind.empty()) add(fmt::format(R"("kind": "{}")", network.kind));
  if (network.count > 0) add(fmt::format(R"("count": {})", network.count));
  if (network.gigabits > 0) add(fmt::format(R"("bandwidth": "{} Gb/s")", network.gigabits));
  return text;
}

/// A cluster of `nodes` whole machines behind a network that is never the bottleneck.
std::string topology_text(const MachineRule& machine, const NetworkRule* network,
                          std::int64_t nodes) {
  const PcieBox* box = pcie_box(machine.node);
  std::string text =
      fmt::format(R"({{"format": "dsim.topology/1", "node": {}, "nodes": {})",
                  box != nullptr ? node_text(*box) : fmt::format("\"{}\"", machine.node), nodes);
  if (!machine.gpu_name.empty()) text += fmt::format(R"(, "gpu": "{}")", machine.gpu_name);
  if (network != nullptr) {
    if (const std::string nics = nics_text(*network); !nics.empty())
      text += fmt::format(R"(, "nics": {{{}}})", nics);
    const std::string_view usual = nodes > 2 ? "rail_optimised" : "single_switch";
    text += fmt::format(R"(, "fabric": {{"kind": "{}"}})",
                        network->fabric.empty() ? usual : network->fabric);
  }
  return text + "}";
}

std::shared_ptr<const Topology> build(Shelf& shelf, const std::string& text,
                                      std::string_view name) {
  auto& built = shelf[text];
  if (!built) built = parse_topology(text, std::string(name));
  return built;
}

/// Nodes as NCCL sees them: an NVLink domain over several trays is one.
struct Domains {
  std::int64_t count = 0, gpus = 0;  ///< GPUs of each
};
Domains domains_of(const StatedRun& run) {
  static const std::regex partitions(R"(each of ([0-9]+) NVLink partitions)");
  std::smatch found;
  if (!std::regex_search(run.intra_link, found, partitions)) return {run.nodes, run.gpus_per_node};
  const std::int64_t count = std::stol(found[1].str().substr(0, 6));
  const std::int64_t gpus = run.nodes * run.gpus_per_node;
  if (count < 1 || gpus % count != 0)
    throw Unpredictable{Obstacle::hardware,
                        fmt::format("{} GPUs in {} equal NVLink partitions", gpus, count)};
  return {count, gpus / count};
}

/// The first GPUs of every node.
std::vector<GpuId> ranks_of(const Topology& topology, std::int64_t gpus_per_node) {
  const auto wanted = static_cast<std::size_t>(gpus_per_node);
  if (wanted > topology.gpus_per_node())
    throw Unpredictable{Obstacle::hardware, fmt::format("{} GPUs a node, the machine has {}",
                                                        wanted, topology.gpus_per_node())};
  std::vector<GpuId> ranks;
  for (std::size_t g = 0; g < topology.gpu_count(); ++g)
    if (topology.local_index(GpuId{g}) < wanted) ranks.emplace_back(g);
  return ranks;
}

DataType type_of(const StatedRun& run, std::vector<std::string>& assumptions) {
  if (!run.dtype.empty()) return data_type_by_name(run.dtype);
  assumptions.emplace_back("float");
  return DataType::float32;
}

void plan_run(CollectivePlan& plan, Shelf& shelf) {
  const StatedRun& run = plan.series->stated;
  plan.op = collective_by_name(run.collective);
  plan.type = type_of(run, plan.assumptions);
  const MachineRule& machine = machine_of(run);
  const Domains domains = domains_of(run);
  if (domains.count > most_nodes)
    throw Unpredictable{Obstacle::hardware, fmt::format("{} nodes", domains.count)};
  const NetworkRule* network = domains.count > 1 ? &network_of(run) : nullptr;
  for (const std::string_view text :
       {machine.assumption, network != nullptr ? network->assumption : std::string_view{}})
    if (!text.empty()) plan.assumptions.emplace_back(text);

  plan.machine = machine.node;
  plan.topology = topology_text(machine, network, domains.count);
  CollectiveSetup setup;
  setup.topology = build(shelf, plan.topology, machine.node);
  setup.ranks = ranks_of(*setup.topology, domains.gpus);
  const Architecture architecture = gpu_by_name(setup.topology->gpu_model()).architecture;
  plan.architecture = name_of(architecture);
  plan.nodes = static_cast<std::uint32_t>(domains.count);
  plan.ranks = static_cast<std::uint32_t>(setup.ranks.size());
  const bool sockets = network != nullptr && network->sockets;
  if (network != nullptr)
    plan.network = sockets ? "tcp" : network->kind.empty() ? "ib" : network->kind;

  RunConditions conditions = conditions_of(run, architecture, sockets);
  setup.nccl = std::move(conditions.nccl);
  setup.launch_floor = conditions.launch_floor;
  for (std::string& text : conditions.assumptions) plan.assumptions.push_back(std::move(text));
  plan.setup = std::move(setup);
}

}  // namespace

std::string site_of(std::string_view source) {
  // "github.com/OWNER/REPO:path" is the repository; links to issues and gists stand for themselves.
  if (source.starts_with("github.com/")) source = source.substr(0, source.find_first_of(": "));
  if (source.starts_with("https://")) source = source.substr(0, source.find(' '));
  return std::string(source);
}

std::vector<CollectivePlan> plan_collectives(const std::vector<CollectiveSeries>& series) {
  std::vector<CollectivePlan> plans;
  Shelf shelf;
  for (const CollectiveSeries& one : series) {
    CollectivePlan& plan = plans.emplace_back();
    plan.series = &one;
    plan.site = site_of(one.stated.source);
    try {
      plan_run(plan, shelf);
    } catch (const Unpredictable& obstacle) {
      plan.obstacle = obstacle.obstacle;
      plan.reason = obstacle.reason;
    } catch (const InputError& error) {
      plan.obstacle = Obstacle::hardware;
      plan.reason = first_line(error.what());
    }
  }
  return plans;
}

}  // namespace dsim
