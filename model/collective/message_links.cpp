#include "model/collective/message_links.h"

#include <bit>
#include <unordered_map>

namespace dsim {

namespace {

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash ^= value + 0x9e3779b97f4a7c15ull + (hash << 6) + (hash >> 2);
  return hash * 0xff51afd7ed558ccdull;
}

void route_of(const Communicator& c, std::uint32_t from, std::uint32_t to, Route& route) {
  // The flow number seeds ECMP: pairs are spread as different connections are.
  const std::uint64_t flow = std::uint64_t{from} * c.size() + to;
  c.topology->route(c.gpus[from], c.gpus[to], c.routing, {.channel = 0, .flow = flow}, route);
}

}  // namespace

MessageLinks::MessageLinks(const Schedule& schedule, const Communicator& communicator)
    : MessageLinks(std::vector<User>{{&schedule, &communicator}}) {}

MessageLinks::MessageLinks(std::span<const User> users) {
  auto resources = std::make_shared<std::vector<Resource>>();
  auto resource_of = std::make_shared<std::vector<std::uint32_t>>();
  if (!users.empty()) {
    const Topology& topology = *users.front().communicator->topology;
    // A link's pattern: which messages load it, and how much of them.
    std::vector<std::uint64_t> pattern(topology.link_count(), 0);
    std::uint64_t message_number = 0;
    std::vector<Message> messages;
    std::vector<double> copies;
    Route route;
    for (const User& user : users)
      for (const RoundPhase& phase : user.schedule->program.phases) {
        messages_of_round(user.schedule->program, user.schedule->ranks, phase.first_round, messages,
                          copies);
        for (const Message& message : messages) {
          route_of(*user.communicator, message.from, message.to, route);
          const std::uint64_t number = mix(1, ++message_number);
          // Shares that differ in their last bits must not split a class.
          for (const auto& [link, share] : route.links)
            pattern[link.index()] =
                mix(pattern[link.index()],
                    mix(number, std::bit_cast<std::uint32_t>(static_cast<float>(share))));
        }
      }
    resource_of->assign(pattern.size(), 0);
    std::unordered_map<std::uint64_t, std::uint32_t> by_pattern;
    for (std::size_t l = 0; l < pattern.size(); ++l) {
      if (pattern[l] == 0) continue;
      const Link link = topology.link(LinkId{l});
      const auto [entry, added] =
          by_pattern.try_emplace(mix(pattern[l], static_cast<std::uint64_t>(link.kind)),
                                 static_cast<std::uint32_t>(resources->size()));
      if (added) resources->push_back({LinkId{l}, link.kind, link.bandwidth.bytes_per_second, 0});
      Resource& resource = (*resources)[entry->second];
      ++resource.links;
      if (link.bandwidth.bytes_per_second < resource.nominal) {
        resource.nominal = link.bandwidth.bytes_per_second;
        resource.sample = LinkId{l};
      }
      (*resource_of)[l] = entry->second;
    }
  }
  resources_ = std::move(resources);
  resource_of_ = std::move(resource_of);
}

PathOf MessageLinks::paths(const Communicator& communicator) const {
  return [&communicator, resources = resources_, resource_of = resource_of_, route = Route{},
          seen = std::vector<std::uint64_t>(resources_->size(), 0), number = std::uint64_t{0}](
             std::uint32_t from, std::uint32_t to, MessagePath& out) mutable {
    route_of(communicator, from, to, route);
    out.loads.clear();
    out.link_latency = route.latency.seconds();
    out.network = route.leaves_node;
    ++number;
    for (const auto& [link, share] : route.links) {
      const std::uint32_t resource = (*resource_of)[link.index()];
      if (seen[resource] == number) continue;
      seen[resource] = number;
      out.loads.push_back({resource, share, (*resources)[resource].kind});
    }
  };
}

}  // namespace dsim
