#include "calibrate/validate/collective/pcie_boxes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace dsim {
namespace {

// PCI-SIG rates of x16; between CPUs what NCCL credits them with (NVIDIA/nccl src/graph/topo.h).
constexpr std::string_view pcie4 = "31.5 GB/s", amd_socket = "16 GB/s";

constexpr std::array boxes{
    PcieBox{"a100-pcie-far-nic", "a100-pcie-40", "amd", pcie4, amd_socket, "0", "1", ""},
    PcieBox{"l40s-node-distance", "l40s", "intel", pcie4, "", "00", "0", ""},
};

void append(std::string& list, const std::string& item) {
  if (!list.empty()) list += ", ";
  list += item;
}

std::string at_cpus(std::string_view kind, std::string_view cpus) {
  std::string pairs;
  for (std::size_t i = 0; i < cpus.size(); ++i)
    append(pairs, fmt::format(R"(["{}{}", "cpu{}"])", kind, i, cpus[i]));
  return pairs;
}

}  // namespace

const PcieBox* pcie_box(std::string_view name) {
  const auto* const found = std::ranges::find(boxes, name, &PcieBox::name);
  return found == boxes.end() ? nullptr : found;
}

std::string node_text(const PcieBox& box) {
  const bool two_cpus = !box.socket.empty();
  std::string vertices =
      fmt::format(R"("gpu": {}, "cpu": {})", box.gpu_at.size(), two_cpus ? 2 : 1);
  std::string nic;
  if (!box.nic_at.empty()) {
    vertices += fmt::format(R"(, "nic": {})", box.nic_at.size());
    nic =
        R"("nic": {"kind": "ib", "bandwidth": "200 Gb/s"}, )";  // the header's network overrides it
  }
  std::string links = at_cpus("gpu", box.gpu_at);
  if (!box.nic_at.empty()) append(links, at_cpus("nic", box.nic_at));
  links = fmt::format(R"({{"kind": "pcie", "bandwidth": "{}", "between": [{}]}})", box.pcie, links);
  if (two_cpus)
    append(links,
           fmt::format(R"({{"kind": "socket", "bandwidth": "{}", "between": [["cpu0", "cpu1"]]}})",
                       box.socket));
  if (!box.nvlink.empty())
    append(links,
           fmt::format(R"({{"kind": "nvlink", "bandwidth": "{}", "between": [["gpu0", "gpu1"]]}})",
                       box.nvlink));
  return fmt::format(
      R"({{"format": "dsim.node/1", "title": "{}", "gpu": "{}", "cpu": "{}", "vertices": {{{}}}, {}"links": [{}]}})",
      box.name, box.gpu, box.cpu, vertices, nic, links);
}

}  // namespace dsim
