#pragma once
// What was built, as plain data, for every face.
#include <string>
#include <vector>

#include "sim/network/topology.h"

namespace dsim {

/// Vertices of one kind.
struct VertexCount {
  VertexKind kind = VertexKind::gpu;
  std::size_t count = 0;
};

/// Links alike in kind, ends, rate and latency.
struct LinkClass {
  LinkKind kind = LinkKind::pcie;
  VertexKind from = VertexKind::gpu,
             to = VertexKind::gpu;  ///< unordered: both directions are counted
  Bandwidth bandwidth;              ///< of one link, one direction
  Time latency;
  std::size_t links = 0;  ///< directed; a cable is two
};

/// Which NICs a GPU of the first node uses.
struct GpuNics {
  std::vector<std::size_t> nics;
  bool crosses_cpu = false;  ///< on the way to the first of them
};

struct TopologySummary {
  std::string name, description, gpu_model, cpu_vendor;
  std::size_t nodes = 0, gpus = 0, gpus_per_node = 0, nics_per_node = 0;
  Routing routing = Routing::spray;
  std::vector<VertexCount> vertices;  ///< kinds that occur
  std::vector<LinkClass> links;
  /// One direction, from the first half of the nodes (the smaller if they are odd) to the others
  /// over the fabric; of one node, from the first half of its GPUs to the others. 0 for one GPU.
  Bandwidth bisection;
  /// What those NICs could send at most; 0 on one node.
  Bandwidth half_of_nics;
  std::size_t longest_route = 0;  ///< links between the GPUs farthest apart, by the default routing
  int most_switches = 0;          ///< fabric switches on it
  std::vector<GpuNics> gpu_nics;
};

/// Counts what a topology holds. The whole cluster's vertices and links are counted, also where
/// only a part of its GPUs is used; bisection and routes are those of the part.
TopologySummary summarize(const Topology& topology);

/// Rate from the first half to the second (see TopologySummary::bisection).
Bandwidth bisection_bandwidth(const Topology& topology);
/// The same by maximum flow over every vertex and link, however large; for checks.
Bandwidth bisection_by_max_flow(const Topology& topology);

}  // namespace dsim
