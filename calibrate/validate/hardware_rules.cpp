#include "calibrate/validate/hardware_rules.h"

#include <fmt/format.h>

#include "calibrate/validate/text_pattern.h"

namespace dsim {
namespace {

const NodeRule& node_rule(const RowInputs& row, std::string_view gpu) {
  const std::string box = fmt::format("{}; {}; {}", row.text("intra_link"), row.text("notes"), gpu);
  const std::string_view count = row.text("gpus_per_node");
  for (const NodeRule& rule : node_rules())
    if (matches(gpu, rule.gpu) && matches(count, rule.gpus_per_node) && matches(box, rule.box))
      return rule;
  throw Unpredictable{Obstacle::hardware,
                      count.empty() ? fmt::format("no rule for GPU '{}'", gpu)
                                    : fmt::format("no rule for GPU '{}', {} a node", gpu, count)};
}

/// GPUs of a rack-scale domain that a job of `gpus` takes: all but the last 8 where that divides,
/// as the tensor and pipeline degrees of published runs are powers of two.
std::int64_t used_of(std::int64_t node_gpus, std::int64_t gpus) {
  if (gpus <= node_gpus) return node_gpus;
  if (gpus % node_gpus == 0) return node_gpus;
  if (node_gpus > 64 && gpus % 64 == 0) return 64;
  throw Unpredictable{Obstacle::hardware,
                      fmt::format("{} GPUs do not fill nodes of {}", gpus, node_gpus)};
}

void place(const RowInputs& row, Hardware& hardware) {
  const std::int64_t stated = row.count("gpus_per_node", hardware.node_gpus);
  const std::int64_t nodes = row.count("nodes", 0);
  hardware.gpus_per_node = used_of(hardware.node_gpus, hardware.gpus);
  hardware.nodes =
      (hardware.gpus + hardware.gpus_per_node - 1) / hardware.gpus_per_node;
  if (hardware.nodes > 4096)
    throw Unpredictable{Obstacle::hardware,
                        fmt::format("{} GPUs are more than dsim builds here", hardware.gpus)};
  // A rack counts as one node here and as trays in the tables; half boxes have nodes of their own.
  const bool same_count = stated == hardware.node_gpus;
  if (same_count && nodes > 0 && nodes != hardware.nodes)
    throw Unpredictable{Obstacle::hardware, fmt::format("{} GPUs on {} nodes: scattered placement",
                                                        hardware.gpus, nodes)};
  if (!same_count && hardware.node_gpus < 72 && hardware.gpus > stated) {
    // Nodes that are a part of the node type.
    hardware.gpus_per_node = stated;
    hardware.nodes = (hardware.gpus + stated - 1) / stated;
    if (hardware.gpus % stated != 0)
      throw Unpredictable{Obstacle::hardware,
                          fmt::format("{} GPUs do not fill nodes of {}", hardware.gpus, stated)};
  }
}

}  // namespace

Hardware hardware_of(const RowInputs& row) {
  const std::string_view gpu = row.text("gpu");
  if (gpu.empty()) throw Unpredictable{Obstacle::hardware, "GPU not stated"};
  const NodeRule& rule = node_rule(row, gpu);
  if (!rule.refusal.empty())
    throw Unpredictable{Obstacle::hardware, fmt::format("{}: {}", gpu, rule.refusal)};

  Hardware hardware;
  hardware.node = rule.node;
  hardware.gpu_name = rule.gpu_name;
  hardware.gpus = row.count("gpus", 1);
  hardware.node_gpus = rule.gpus;
  hardware.assumption = rule.assumption;
  place(row, hardware);
  if (hardware.nodes == 1) return hardware;

  const std::string_view link = row.text("inter_link");
  for (const LinkRule& known : link_rules())
    if (matches(link, known.link)) {
      // A rack of trays has the NICs of all of them.
      const std::int64_t tray = row.count("gpus_per_node", hardware.node_gpus);
      const bool rack = hardware.node_gpus >= 72 && tray > 0 && tray < hardware.node_gpus;
      hardware.nics = known.nics * static_cast<int>(rack ? hardware.node_gpus / tray : 1);
      hardware.gigabits = known.gigabits;
      return hardware;
    }
  hardware.assumption += fmt::format("{}network '{}': that of the node type",
                                     hardware.assumption.empty() ? "" : "; ", link);
  return hardware;
}

std::string topology_text(const Hardware& hardware) {
  std::string text = fmt::format(R"({{"format": "dsim.topology/1", "node": "{}", "nodes": {})",
                                 hardware.node, hardware.nodes);
  if (!hardware.gpu_name.empty()) text += fmt::format(R"(, "gpu": "{}")", hardware.gpu_name);
  std::string nics;
  if (hardware.nics > 0) nics = fmt::format(R"("count": {})", hardware.nics);
  if (hardware.gigabits > 0)
    nics += fmt::format(R"({}"bandwidth": "{} Gb/s")", nics.empty() ? "" : ", ", hardware.gigabits);
  if (!nics.empty()) text += fmt::format(R"(, "nics": {{{}}})", nics);
  if (hardware.nodes > 1)
    text += fmt::format(R"(, "fabric": {{"kind": "{}"}})",
                        hardware.nodes > 2 ? "rail_optimised" : "single_switch");
  return text + "}";
}

std::shared_ptr<const Topology> build_topology(const Hardware& hardware) {
  auto topology =
      parse_topology(topology_text(hardware), fmt::format("{}x{}", hardware.node, hardware.nodes));
  const auto gpus = static_cast<std::size_t>(hardware.gpus);
  if (topology->gpu_count() == gpus || !ranks_of(hardware).empty()) return topology;
  return first_gpus(std::move(topology), gpus);
}

std::vector<std::uint32_t> ranks_of(const Hardware& hardware) {
  std::vector<std::uint32_t> ranks;
  if (hardware.nodes == 1 || hardware.gpus_per_node == hardware.node_gpus) return ranks;
  for (std::int64_t rank = 0; rank < hardware.gpus; ++rank)
    ranks.push_back(static_cast<std::uint32_t>(rank / hardware.gpus_per_node * hardware.node_gpus +
                                               rank % hardware.gpus_per_node));
  return ranks;
}

}  // namespace dsim
