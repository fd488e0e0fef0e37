#include "sim/network/fabrics/explicit_graph.h"

#include <algorithm>

#include "sim/base/error.h"
#include "sim/network/graph_search.h"
#include "sim/network/link_defaults.h"

namespace dsim::fabrics {

ExplicitGraph::ExplicitGraph(Graph graph, std::size_t ports)
    : graph_(std::move(graph)), ports_(ports), first_leaving_(graph_.vertices.size() + 1) {
  for (const Link& link : graph_.links) ++first_leaving_[link.from.index() + 1];
  for (std::size_t v = 1; v < first_leaving_.size(); ++v)
    first_leaving_[v] += first_leaving_[v - 1];
  leaving_.resize(graph_.links.size());
  std::vector<std::uint32_t> next(first_leaving_.begin(), first_leaving_.end());
  for (std::size_t l = 0; l < graph_.links.size(); ++l)
    leaving_[next[graph_.links[l].from.index()]++] = LinkId(l);
}

Cable ExplicitGraph::cable(std::size_t link) const {
  const Link& plain = graph_.links[link];
  const auto end = [&](VertexId v) {
    return v.index() < ports_ ? FabricEnd{true, v.index()} : FabricEnd{false, v.index() - ports_};
  };
  return {end(plain.from), end(plain.to), plain.bandwidth, plain.latency, plain.kind};
}

ExplicitGraph::Hops ExplicitGraph::hops_towards(std::size_t port) const {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = kept_.find(port); found != kept_.end()) return found->second;
  }
  auto hops = std::make_shared<const std::vector<std::uint32_t>>(hops_to(graph_, VertexId(port)));
  constexpr std::size_t most_kept = 16'000'000;  // entries in all: 64 MB
  const std::lock_guard lock(mutex_);
  if ((kept_.size() + 1) * graph_.vertices.size() > most_kept) kept_.clear();
  kept_.emplace(port, hops);
  return hops;
}

bool ExplicitGraph::reaches(std::size_t from, std::size_t to) const {
  return (*hops_towards(to))[from] != unreachable;
}

void ExplicitGraph::append_route(std::size_t from, std::size_t to, PathChoice choice,
                                 std::uint32_t first_link, Route& out) const {
  const Hops hops = hops_towards(to);
  require((*hops)[from] != unreachable, "a route joins ports that reach each other");
  // Level by level towards the port: where the bytes are, and what part of them.
  std::vector<std::pair<std::uint32_t, double>> level{{static_cast<std::uint32_t>(from), 1.0}},
      next;
  std::uint64_t hash = choice.hash;
  for (std::uint32_t left = (*hops)[from]; left > 0; --left) {
    next.clear();
    for (const auto& [vertex, share] : level) {
      const auto begin = leaving_.begin() + first_leaving_[vertex];
      const auto end = leaving_.begin() + first_leaving_[vertex + 1];
      const auto nearer = [&](LinkId l) { return (*hops)[graph_.link(l).to.index()] == left - 1; };
      const auto choices = static_cast<std::uint64_t>(std::count_if(begin, end, nearer));
      std::uint64_t skip = choice.spray ? 0 : hash % choices;
      hash /= choices;
      const double part = choice.spray ? share / static_cast<double>(choices) : share;
      for (auto l = begin; l != end; ++l) {
        if (!nearer(*l) || (!choice.spray && skip-- != 0)) continue;
        const Link& link = graph_.link(*l);
        if (next.empty()) out.latency += link.latency;
        out.links.push_back({LinkId(first_link + l->index()), part});
        const auto same = std::find_if(next.begin(), next.end(),
                                       [&](const auto& n) { return n.first == link.to.value; });
        if (same == next.end())
          next.emplace_back(link.to.value, part);
        else
          same->second += part;
        if (!choice.spray) break;
      }
    }
    level.swap(next);
    if (is_fabric_switch(graph_.vertices[level.front().first].kind)) ++out.switch_hops;
  }
}

Bandwidth ExplicitGraph::rate_between(std::size_t middle, std::size_t end) const {
  std::vector<VertexId> sources, sinks;
  for (std::size_t p = 0; p < middle; ++p) sources.emplace_back(p);
  for (std::size_t p = middle; p < end; ++p) sinks.emplace_back(p);
  return max_flow(graph_, sources, sinks);
}

}  // namespace dsim::fabrics
