#include "calibrate/validate/hardware_rules.h"

#include <fmt/format.h>

#include "calibrate/validate/text_pattern.h"

namespace dsim {

const std::vector<NodeRule>& node_rules() {
  // Boxes are named in the notes ("DGX-1V"), by the links ("NVLink2 cube mesh") or in the GPU
  // column.
  static const std::vector<NodeRule> rules{
      {"v100 !pcie", "", "dgx-2|dgx-2h|nvswitch", "", "", "DGX-2", "NVIDIA DGX-2 data sheet"},
      {"v100 !pcie", "", "ndv2|p3dn|p3", "", "", "a cloud node with V100", "Azure NDv2, AWS p3"},
      {"v100 32gb !pcie", "=8|=", "dgx-1|dgx-1v|nvlink2", "dgx1-v100", "v100-sxm2-32",
       "DGX-1V 32 GB", "NVIDIA DGX-1 data sheet: 8 V100, hybrid cube mesh, 4 EDR"},
      {"v100 !pcie", "=8|=", "dgx-1|dgx-1v|nvlink2", "dgx1-v100", "v100-sxm2-16", "DGX-1V",
       "NVIDIA DGX-1 data sheet: 8 V100, hybrid cube mesh, 4 EDR"},
      {"a100 40gb !pcie !a800", "=8|=", "", "dgx-a100-40", "", "DGX A100 40 GB",
       "NVIDIA DGX A100 data sheet: NVSwitch, 8 HDR200"},
      {"a100 !40gb !pcie !a800", "=8|=", "", "dgx-a100-80", "", "DGX A100 80 GB",
       "NVIDIA DGX A100 data sheet: NVSwitch, 8 HDR200"},
      {"h100 !pcie !nvl !96gb", "=8|=", "", "dgx-h100", "", "DGX H100",
       "NVIDIA DGX H100 data sheet: NVSwitch, 8 NDR"},
      {"h200 !pcie !nvl", "=8|=", "", "dgx-h200", "", "DGX H200",
       "NVIDIA DGX H200 data sheet: NVSwitch, 8 NDR"},
      {"b200 !nvl72", "=8|=", "", "dgx-b200", "", "DGX B200",
       "NVIDIA DGX B200 data sheet: NVSwitch, 8 x 400 Gb/s"},
      {"l40s", "=8|=", "", "pcie-l40s", "", "8 L40S on PCIe", "NVIDIA L40S data sheet"},
  };
  return rules;
}

const std::vector<LinkRule>& link_rules() {
  static const std::vector<LinkRule> rules{
      {"4x100gb|4x100g|4x-edr", 4, 100},
      {"8x-hdr200|8x200gb|8x-hdr", 8, 200},
      {"8x-ndr|8x400gb|8x-400gb", 8, 400},
      {"ib-200gb-s", 0, 200},  // "IB 200Gb/s": a NIC, how many is not stated
      {"ib-400gb-s", 0, 400},
      {"=infiniband|=ib|=rdma|=", 0, 0},
  };
  return rules;
}

Hardware hardware_of(const RowInputs& row) {
  const std::string_view gpu = row.text("gpu");
  if (gpu.empty()) throw Unpredictable{Obstacle::hardware, "GPU not stated"};
  const std::string box = fmt::format("{}; {}; {}", row.text("intra_link"), row.text("notes"), gpu);

  const NodeRule* rule = nullptr;
  for (const NodeRule& candidate : node_rules())
    if (matches(gpu, candidate.gpu) &&
        matches(row.text("gpus_per_node"), candidate.gpus_per_node) &&
        matches(box, candidate.box)) {
      rule = &candidate;
      break;
    }
  if (rule == nullptr) {
    const std::string_view count = row.text("gpus_per_node");
    throw Unpredictable{Obstacle::hardware,
                        count.empty() ? fmt::format("no rule for GPU '{}'", gpu)
                                      : fmt::format("no rule for GPU '{}', {} a node", gpu, count)};
  }
  if (rule->node.empty())
    throw Unpredictable{Obstacle::hardware, fmt::format("no node type for {}", rule->title)};

  constexpr std::int64_t gpus_per_node = 8;  // of every node type that a rule names
  Hardware hardware{.node = rule->node, .gpu_name = rule->gpu_name, .gpus = row.count("gpus", 1)};
  hardware.nodes = (hardware.gpus + gpus_per_node - 1) / gpus_per_node;
  if (hardware.nodes > 4096)
    throw Unpredictable{Obstacle::hardware,
                        fmt::format("{} GPUs are more than dsim builds here", hardware.gpus)};
  if (hardware.nodes > 1 && hardware.gpus % gpus_per_node != 0)
    throw Unpredictable{Obstacle::hardware, fmt::format("{} GPUs do not fill nodes of {}",
                                                        hardware.gpus, gpus_per_node)};
  if (const std::int64_t nodes = row.count("nodes", hardware.nodes); nodes != hardware.nodes)
    throw Unpredictable{Obstacle::hardware, fmt::format("{} GPUs on {} nodes: scattered placement",
                                                        hardware.gpus, nodes)};
  if (hardware.nodes == 1) return hardware;

  for (const LinkRule& link : link_rules())
    if (matches(row.text("inter_link"), link.link)) {
      hardware.nics = link.nics;
      hardware.gigabits = link.gigabits;
      return hardware;
    }
  throw Unpredictable{Obstacle::hardware,
                      fmt::format("no rule for the network '{}'", row.text("inter_link"))};
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
  return topology->gpu_count() == gpus ? topology : first_gpus(std::move(topology), gpus);
}

}  // namespace dsim
