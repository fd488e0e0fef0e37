#include "model/collective/network_switch.h"

#include <algorithm>

#include "sim/network/link_defaults.h"

namespace dsim {

namespace {

bool ends_at_switch(const Topology& t, LinkId id) {
  return is_fabric_switch(t.vertex_kind(t.link(id).to));
}
bool starts_at_switch(const Topology& t, LinkId id) {
  return is_fabric_switch(t.vertex_kind(t.link(id).from));
}

}  // namespace

std::vector<LinkShare> links_to_switch(const Communicator& c, GpuId gpu, GpuId towards,
                                       std::uint32_t channel) {
  Route route;
  c.topology->route(gpu, towards, c.routing, {channel, 0}, route);
  const auto end = std::find_if(route.links.begin(), route.links.end(), [&](const LinkShare& s) {
    return ends_at_switch(*c.topology, s.link);
  });
  return {route.links.begin(), end == route.links.end() ? end : end + 1};
}

std::vector<LinkShare> links_from_switch(const Communicator& c, GpuId gpu, GpuId towards,
                                         std::uint32_t channel) {
  Route route;
  c.topology->route(towards, gpu, c.routing, {channel, 0}, route);
  const auto last = std::find_if(route.links.rbegin(), route.links.rend(), [&](const LinkShare& s) {
    return starts_at_switch(*c.topology, s.link);
  });
  return {last == route.links.rend() ? route.links.begin() : last.base() - 1, route.links.end()};
}

std::string collnet_unfit(const Communicator& c, bool found) {
  if (c.nodes.size() < 2) return "CollNet reduces between nodes; there is one";
  if (!found) return "CollNet needs NCCL_COLLNET_ENABLE=1 and switches that reduce (SHARP)";
  return "";
}

}  // namespace dsim
