#include "model/collective/nvls_star.h"

namespace dsim {

void connect_star(ScheduleBuilder& builder, const Communicator& communicator,
                  const std::vector<std::uint32_t>& ranks, std::uint32_t from_worker,
                  std::uint32_t to_worker) {
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
  builder.connect_over(from_worker, to_worker, links, false);
}

}  // namespace dsim
