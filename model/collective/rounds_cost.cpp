#include "model/collective/rounds_cost.h"

#include <utility>

#include "model/collective/rounds_check.h"

namespace dsim {

PathOf paths_along_routes(const Communicator& communicator,
                          std::function<std::uint32_t(LinkId)> resource_of) {
  const Topology& all = *communicator.topology;
  std::vector<LinkKind> kinds;
  for (std::size_t l = 0; l < all.link_count(); ++l) kinds.push_back(all.link(LinkId{l}).kind);
  return [&communicator, kinds = std::move(kinds), resource_of = std::move(resource_of),
          route = Route{}](std::uint32_t from, std::uint32_t to, MessagePath& out) mutable {
    out.loads.clear();
    const Topology& topology = *communicator.topology;
    // The flow number seeds ECMP: pairs are spread as different connections are.
    const std::uint64_t flow = std::uint64_t{from} * communicator.size() + to;
    topology.route(communicator.gpus[from], communicator.gpus[to], communicator.routing,
                   {.channel = 0, .flow = flow}, route);
    out.link_latency = route.latency.seconds();
    out.network = route.leaves_node;
    for (const auto& [link, share] : route.links)
      out.loads.push_back(
          {resource_of ? resource_of(link) : static_cast<std::uint32_t>(link.index()), share,
           kinds[link.index()]});
  };
}

void messages_of_round(const RoundProgram& program, std::uint32_t ranks, std::uint32_t round,
                       std::vector<Message>& messages, std::vector<double>& copies) {
  std::vector<Transfer> transfers;
  program.transfers(round, transfers);
  messages.clear();
  copies.clear();
  for (const Transfer& t : transfers) {
    const double share = share_of(program, t);
    if (t.from == t.to) {
      copies.resize(ranks, 0);
      copies[t.from] += share;
    } else if (!messages.empty() && messages.back().from == t.from && messages.back().to == t.to) {
      messages.back().share += share;
      messages.back().reduce = messages.back().reduce || t.reduce;
    } else {
      messages.push_back({t.from, t.to, share, t.reduce});
    }
  }
}

}  // namespace dsim
