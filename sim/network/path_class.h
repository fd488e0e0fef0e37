#pragma once
// How close two devices of a node are, in NCCL's words.
#include <cstdint>
#include <optional>
#include <string_view>

#include "sim/base/units.h"

namespace dsim {

/// Path classes of NVIDIA/nccl 5067397c src/graph/topo.h, nearest first: the device itself; NVLink;
/// NVLink through another GPU; NVLink-C2C to the CPU; one PCIe switch; several; C2C to the CPU and
/// PCIe from there; NVLink to a GPU near the NIC; through a CPU; between CPUs; the network;
/// nothing.
enum class PathClass : std::uint8_t { loc, nvl, nvb, c2c, pix, pxb, p2c, pxn, phb, sys, net, dis };
constexpr std::size_t path_class_count = 12;

/// "nvl", "pix"...
std::string_view name_of(PathClass path_class);
/// The class of that name, whatever the case ("PXB").
std::optional<PathClass> path_class_named(std::string_view name);

/// A PCIe link as nvidia-smi shows it.
struct PcieLink {
  int generation = 0;  ///< 1 to 6; 0 if it is slower than any
  int width = 0;       ///< lanes
};
/// The PCIe link of a nominal rate of one direction: 31.5 GB/s is generation 4, 16 lanes. Where two
/// readings are as good (31.5 GB/s is also generation 5, 8 lanes) it is the wider one.
PcieLink pcie_link(Bandwidth nominal);

}  // namespace dsim
