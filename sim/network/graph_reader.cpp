#include "sim/network/graph_reader.h"

#include <fmt/format.h>

#include "sim/base/spelling.h"
#include "sim/network/graph_search.h"
#include "sim/network/link_defaults.h"
#include "sim/network/link_values.h"

namespace dsim {
namespace {

constexpr std::size_t most_vertices = 1'000'000;

std::uint64_t pair_key(VertexId from, VertexId to) {
  return static_cast<std::uint64_t>(from.value) << 32 | to.value;
}

}  // namespace

struct GraphReader::Group {
  LinkKind kind = LinkKind::pcie;
  Bandwidth bandwidth;
  std::optional<Time> latency;
  std::string label;
  bool both_ways = true;
  std::int64_t links = 1;
};

void GraphReader::add_vertex(VertexKind kind, std::string name, const json::Value& place) {
  if (name.empty()) place.fail("a vertex needs a name that is not empty");
  if (graph_.vertices.size() == most_vertices)
    place.fail(fmt::format("more than {} vertices", most_vertices));
  const VertexId id(graph_.vertices.size());
  if (!named_.emplace(name, id).second)
    place.fail(fmt::format("the name '{}' is taken by another vertex", name));
  graph_.vertices.push_back({kind, std::move(name)});
}

void GraphReader::read_vertices(const json::Value& value) {
  json::Problems problems;
  for (const auto& [key, member] : value.members()) {
    problems.attempt([&, key = key, member = member] {
      const VertexKind kind = read_vertex_kind(key, member, fabric_);
      if (member.kind() == json::Kind::array) {
        for (const json::Value& name : member.elements())
          problems.attempt([&] { add_vertex(kind, std::string(name.as_string()), name); });
        return;
      }
      const std::int64_t count = member.as_integer(0, fabric_ ? 100'000 : 1'024);
      for (std::int64_t i = 0; i < count; ++i)
        add_vertex(kind, fmt::format("{}{}", name_of(kind), i), member);
    });
  }
  problems.raise();
}

VertexId GraphReader::vertex(const json::Value& name) const {
  const auto found = named_.find(std::string(name.as_string()));
  if (found != named_.end()) return found->second;
  std::vector<std::string_view> known;
  for (const Vertex& vertex : graph_.vertices) known.push_back(vertex.name);
  name.fail(unknown_name("vertex", name.as_string(), known));
}

void GraphReader::read_links(const json::Value& value) {
  for (const json::Value& group : value.elements()) problems_.attempt([&] { read_group(group); });
  match_one_way_links();
}

void GraphReader::read_group(const json::Value& value) {
  json::ObjectReader reader(value);
  Group group;
  group.kind =
      fabric_ ? read_link_kind(reader.at("kind")) : read_link_kind(reader.at("kind"), false);
  group.bandwidth = read_bandwidth(reader.at("bandwidth"));
  if (const auto latency = reader.find("latency")) group.latency = read_latency(*latency);
  if (const auto label = reader.find("label")) group.label = label->as_string();
  if (const auto links = reader.find("links")) group.links = links->as_integer(1, 1'024);
  const auto one_way = reader.find("one_way");
  group.both_ways = !one_way;
  const json::Value pairs = one_way ? *one_way : reader.at("between");
  reader.finish();
  for (const json::Value& pair : pairs.elements())
    problems_.attempt([&] { read_pair(group, pair); });
}

void GraphReader::read_pair(const Group& group, const json::Value& pair) {
  const std::vector<json::Value> parts = pair.elements();
  if (parts.size() < 2 || parts.size() > 3)
    pair.fail(
        "a link is a pair of vertex names, with the number of parallel links after them if more "
        "than one");
  Link link;
  link.kind = group.kind;
  link.from = vertex(parts[0]);
  link.to = vertex(parts[1]);
  const auto parallel = parts.size() == 3 ? parts[2].as_integer(1, 1'024) : group.links;
  link.links = static_cast<std::uint32_t>(parallel);
  link.bandwidth = {group.bandwidth.bytes_per_second * static_cast<double>(parallel)};
  const Vertex& from = graph_.vertex(link.from);
  const Vertex& to = graph_.vertex(link.to);
  if (link.from == link.to) pair.fail(fmt::format("'{}' is joined to itself", from.name));
  if (!can_join(link.kind, from.kind, to.kind))
    pair.fail(fmt::format("a link of kind {} cannot join {} '{}' and {} '{}'", name_of(link.kind),
                          name_of(from.kind), from.name, name_of(to.kind), to.name));
  link.latency = group.latency ? *group.latency : default_latency(link.kind, from.kind, to.kind);
  add_link(link, pair, group.both_ways);
  const bool at_gpu = from.kind == VertexKind::gpu || to.kind == VertexKind::gpu;
  if (at_gpu && (gpu_links_.empty() || is_gpu_link(link.kind))) {
    const char* plain = link.kind == LinkKind::nvlink ? "NVLink"
                        : link.kind == LinkKind::xgmi ? "xGMI"
                        : link.kind == LinkKind::c2c  ? "C2C"
                                                      : "PCIe";
    gpu_links_ = group.label.empty() ? plain : group.label;
  }
}

void GraphReader::add_link(const Link& link, const json::Value& place, bool both_ways) {
  const auto add = [&](VertexId from, VertexId to) {
    const LinkId id(graph_.links.size());
    if (!joined_.emplace(pair_key(from, to), id).second)
      place.fail(fmt::format(
          "'{}' and '{}' are joined already; write the number of parallel links as a third element",
          graph_.vertex(from).name, graph_.vertex(to).name));
    graph_.links.push_back({from, to, link.bandwidth, link.latency, link.kind, link.links});
    graph_.reverse.emplace_back();
    places_.push_back(place);
    return id;
  };
  const LinkId forward = add(link.from, link.to);
  if (!both_ways) {
    one_way_.push_back(forward);
    return;
  }
  const LinkId backward = add(link.to, link.from);
  graph_.reverse[forward.index()] = backward;
  graph_.reverse[backward.index()] = forward;
}

void GraphReader::match_one_way_links() {
  for (const LinkId id : one_way_) {
    problems_.attempt([&] {
      const json::Value& place = places_[id.index()];
      const Link& link = graph_.link(id);
      const std::string& from = graph_.vertex(link.from).name;
      const std::string& to = graph_.vertex(link.to).name;
      const auto back = joined_.find(pair_key(link.to, link.from));
      if (back == joined_.end())
        place.fail(fmt::format(
            "nothing leads back from '{}' to '{}': add that direction, or use \"between\"", to,
            from));
      const Link& twin = graph_.link(back->second);
      if (twin.kind != link.kind)
        place.fail(fmt::format("'{}' to '{}' is of kind {} but the way back is {}", from, to,
                               name_of(link.kind), name_of(twin.kind)));
      if (!is_network(link.kind) && twin.bandwidth != link.bandwidth)
        place.fail(
            fmt::format("{} is equally fast in both directions, but '{}' to '{}' and back differ",
                        name_of(link.kind), from, to));
      graph_.reverse[id.index()] = back->second;
    });
  }
}

void check_connected(const Graph& graph, std::string_view what, const json::Value& place) {
  const auto parts = connected_parts(graph);
  if (parts.size() <= 1) return;
  std::string others;
  std::size_t named = 0, count = 0;
  for (std::size_t p = 1; p < parts.size(); ++p)
    for (const VertexId v : parts[p]) {
      ++count;
      if (named == 5) continue;
      others += fmt::format("{}'{}'", named++ > 0 ? ", " : "", graph.vertex(v).name);
    }
  if (count > named) others += fmt::format(" and {} more", count - named);
  place.fail(fmt::format("{} is not connected: {} cannot reach '{}'", what, others,
                         graph.vertex(parts[0][0]).name));
}

}  // namespace dsim
