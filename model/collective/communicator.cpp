#include "model/collective/communicator.h"

#include <map>

namespace dsim {

Communicator make_communicator(const Topology& topology, Routing routing, Architecture architecture,
                               std::vector<GpuId> gpus) {
  Communicator c{&topology, routing, architecture, std::move(gpus), {}};
  std::map<std::size_t, std::size_t> index_of_node;
  for (std::uint32_t rank = 0; rank < c.size(); ++rank) {
    const auto [entry, added] =
        index_of_node.try_emplace(topology.node_of(c.gpus[rank]), c.nodes.size());
    if (added) c.nodes.emplace_back();
    c.nodes[entry->second].push_back(rank);
  }
  return c;
}

}  // namespace dsim
