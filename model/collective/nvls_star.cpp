#include "model/collective/nvls_star.h"

namespace dsim {

std::vector<LinkShare> star_links(const Communicator& communicator,
                                  const std::vector<std::uint32_t>& ranks) {
  std::vector<LinkShare> links;
  Route route;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    // The first link of a way to another GPU leads up to the switch, the last of the way back down.
    const GpuId gpu = communicator.gpus[ranks[i]];
    const GpuId other = communicator.gpus[ranks[(i + 1) % ranks.size()]];
    if (gpu == other) continue;
    communicator.topology->route(gpu, other, communicator.routing, {}, route);
    links.push_back(route.links.front());
    communicator.topology->route(other, gpu, communicator.routing, {}, route);
    links.push_back(route.links.back());
  }
  return links;
}

}  // namespace dsim
