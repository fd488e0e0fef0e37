#pragma once
// Machines that are too small to be node types of their own: a few PCIe cards at one or two CPUs.
#include <string>
#include <string_view>

namespace dsim {

struct PcieBox {
  std::string_view name, gpu, cpu;
  std::string_view pcie;    ///< rate of a card's link
  std::string_view socket;  ///< rate between the CPUs; "" = one CPU
  std::string_view gpu_at;  ///< the CPU of each GPU: "0011"
  std::string_view nic_at;  ///< the CPU of each NIC; "" = none
  std::string_view nvlink;  ///< rate of a bridge between GPU 0 and 1; "" = none
};

/// The box of that name, or nullptr.
const PcieBox* pcie_box(std::string_view name);
/// As the JSON of a node type (dsim.node/1).
std::string node_text(const PcieBox& box);

}  // namespace dsim
