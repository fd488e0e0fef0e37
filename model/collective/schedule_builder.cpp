#include "model/collective/schedule_builder.h"

#include <algorithm>

#include "sim/network/link_defaults.h"

namespace dsim {

namespace {

// Adds a path unless another is at least as long in every respect; drops those that it outdoes.
void keep_longest(std::vector<PathShape>& paths, const PathShape& added) {
  const auto covers = [](const PathShape& a, const PathShape& b) {
    return a.local >= b.local && a.network >= b.network && a.link_seconds >= b.link_seconds;
  };
  for (const PathShape& path : paths)
    if (covers(path, added)) return;
  std::erase_if(paths, [&](const PathShape& path) { return covers(added, path); });
  paths.push_back(added);
}

std::vector<PathShape> longest_paths(const Schedule& s, std::uint32_t channel) {
  const std::uint32_t first = s.first_worker[channel], last = s.first_worker[channel + 1];
  std::vector<std::vector<PathShape>> reached(last - first);
  std::vector<std::uint32_t> missing(last - first), ready;
  for (std::uint32_t w = first; w < last; ++w) {
    missing[w - first] = s.workers[w].in_count;
    if (s.workers[w].in_count > 0) continue;
    ready.push_back(w);
    reached[w - first].emplace_back();
  }
  std::vector<PathShape> result;
  while (!ready.empty()) {
    const std::uint32_t w = ready.back();
    ready.pop_back();
    const Worker& worker = s.workers[w];
    for (const PathShape& path : reached[w - first]) {
      if (worker.out_count == 0) keep_longest(result, path);
      for (std::uint32_t i = 0; i < worker.out_count; ++i) {
        const Connection& c = s.connections[s.out[worker.first_out + i]];
        keep_longest(reached[c.to_worker - first],
                     {path.local + (c.network ? 0u : 1u), path.network + (c.network ? 1u : 0u),
                      path.link_seconds + c.latency});
      }
    }
    for (std::uint32_t i = 0; i < worker.out_count; ++i)
      if (const std::uint32_t to = s.connections[s.out[worker.first_out + i]].to_worker;
          --missing[to - first] == 0)
        ready.push_back(to);
  }
  return result;
}

// The chains of `rounds` hops around a ring that can be the longest.
std::vector<PathShape> longest_way_round(const Schedule& s, std::uint32_t channel) {
  const std::uint32_t first = s.first_connection[channel];
  const std::uint32_t n = s.first_connection[channel + 1] - first;
  if (n == 0) return {PathShape{}};
  const auto add = [&](PathShape& path, std::uint32_t i, std::int64_t sign) {
    const Connection& c = s.connections[first + i % n];
    std::uint32_t& hops = c.network ? path.network : path.local;
    hops = static_cast<std::uint32_t>(hops + sign);
    path.link_seconds += static_cast<double>(sign) * c.latency;
  };
  PathShape turn, window;
  const auto turns = static_cast<std::uint32_t>(s.rounds / n);
  const auto rest = static_cast<std::uint32_t>(s.rounds % n);
  for (std::uint32_t i = 0; i < n; ++i) add(turn, i, 1);
  for (std::uint32_t i = 0; i < rest; ++i) add(window, i, 1);
  std::vector<PathShape> result;
  for (std::uint32_t i = 0; i < n; ++i) {
    keep_longest(result, {turn.local * turns + window.local, turn.network * turns + window.network,
                          turn.link_seconds * turns + window.link_seconds});
    add(window, i, -1);
    add(window, i + rest, 1);
  }
  return result;
}

// What the links of a route take beyond the usual: constants of a step hold for links of default
// latency and one switch.
double unusual_latency(const Topology& t, const Route& route) {
  double extra = 0;
  LinkKind network = LinkKind::nvlink;
  for (const LinkShare& share : route.links) {
    const Link link = t.link(share.link);
    if (is_network(link.kind)) network = link.kind;
    const Time usual = default_latency(link.kind, t.vertex_kind(link.from), t.vertex_kind(link.to));
    extra += share.share * (link.latency - usual).seconds();
  }
  if (route.switch_hops > 1) extra += (route.switch_hops - 1) * switch_latency(network).seconds();
  return extra;
}

}  // namespace

ScheduleBuilder::ScheduleBuilder(const Communicator& communicator, Pattern pattern)
    : communicator_(communicator) {
  schedule.pattern = pattern;
  schedule.ranks = communicator.size();
  schedule.nodes = static_cast<std::uint32_t>(communicator.nodes.size());
}

void ScheduleBuilder::begin_channel() {
  schedule.first_connection.push_back(static_cast<std::uint32_t>(schedule.connections.size()));
  schedule.first_worker.push_back(static_cast<std::uint32_t>(schedule.workers.size()));
  ++schedule.channels;
}

std::uint32_t ScheduleBuilder::add_worker(std::uint32_t rank) {
  schedule.workers.push_back({rank, schedule.channels - 1, 0, 0, 0, 0});
  return static_cast<std::uint32_t>(schedule.workers.size() - 1);
}

void ScheduleBuilder::connect(std::uint32_t from_worker, std::uint32_t to_worker,
                              std::uint32_t rail) {
  const std::uint32_t channel = schedule.channels - 1;
  const GpuId from = communicator_.gpus[schedule.workers[from_worker].rank];
  const GpuId to = communicator_.gpus[schedule.workers[to_worker].rank];
  communicator_.topology->route(
      from, to, communicator_.routing,
      {channel, static_cast<std::uint64_t>(from.value) << 32 | to.value, rail}, route_);
  const auto first = static_cast<std::uint32_t>(schedule.links.size());
  schedule.links.insert(schedule.links.end(), route_.links.begin(), route_.links.end());
  schedule.connections.push_back({from_worker, to_worker, first,
                                  static_cast<std::uint32_t>(route_.links.size()),
                                  unusual_latency(*communicator_.topology, route_),
                                  route_.leaves_node, route_.connection_limit.bytes_per_second});
}

void ScheduleBuilder::connect_over(std::uint32_t from_worker, std::uint32_t to_worker,
                                   std::span<const LinkShare> links, bool network) {
  const auto first = static_cast<std::uint32_t>(schedule.links.size());
  schedule.links.insert(schedule.links.end(), links.begin(), links.end());
  schedule.connections.push_back(
      {from_worker, to_worker, first, static_cast<std::uint32_t>(links.size()), 0, network, 0});
}

Schedule ScheduleBuilder::finish() {
  schedule.first_connection.push_back(static_cast<std::uint32_t>(schedule.connections.size()));
  schedule.first_worker.push_back(static_cast<std::uint32_t>(schedule.workers.size()));
  // Connection lists by worker, in order of connecting.
  for (const Connection& c : schedule.connections) {
    ++schedule.workers[c.from_worker].out_count;
    ++schedule.workers[c.to_worker].in_count;
  }
  std::uint32_t in = 0, out = 0;
  for (Worker& w : schedule.workers) {
    w.first_in = in;
    w.first_out = out;
    in += w.in_count;
    out += w.out_count;
    w.in_count = w.out_count = 0;
  }
  schedule.in.resize(in);
  schedule.out.resize(out);
  for (std::uint32_t i = 0; i < schedule.connections.size(); ++i) {
    Worker& from = schedule.workers[schedule.connections[i].from_worker];
    Worker& to = schedule.workers[schedule.connections[i].to_worker];
    schedule.out[from.first_out + from.out_count++] = i;
    schedule.in[to.first_in + to.in_count++] = i;
  }
  for (std::uint32_t channel = 0; channel < schedule.channels; ++channel)
    schedule.longest_paths.push_back(schedule.pattern == Pattern::stream
                                         ? longest_paths(schedule, channel)
                                         : longest_way_round(schedule, channel));
  return std::move(schedule);
}

}  // namespace dsim
