// Clusters of equal nodes: a node type, a count and a fabric.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "sim/base/data_files.h"
#include "sim/base/spelling.h"
#include "sim/network/link_values.h"
#include "sim/network/node_type_file.h"
#include "sim/network/topology_file.h"

namespace dsim {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t most_nodes = 1'000'000;
constexpr std::size_t most_gpus = std::size_t{1} << 24;

fs::path find_node_file(const json::Value& value, const fs::path& folder) {
  const std::string name(value.as_string());
  const fs::path shipped = data_directory() / "topologies" / "nodes";
  std::vector<std::string> names;
  for (const fs::path& place : {folder.empty() ? fs::path() : folder / "nodes", shipped}) {
    std::error_code error;
    if (place.empty()) continue;
    for (fs::directory_iterator entry(place, error), end; !error && entry != end;
         entry.increment(error))
      if (entry->path().extension() == ".json") {
        const std::string stem = entry->path().stem().string();
        if (stem == name || entry->path().filename() == name) return entry->path();
        names.push_back(stem);
      }
  }
  std::error_code error;
  if (name.find('/') != std::string::npos && fs::exists(folder / name, error)) return folder / name;
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  const std::vector<std::string_view> known(names.begin(), names.end());
  value.fail(unknown_name("node type", name, known));
}

NodeType read_node(const json::Value& value, const fs::path& folder) {
  if (value.kind() == json::Kind::object) return read_node_type(value);
  const fs::path file = find_node_file(value, folder);
  return read_node_type(json::Document::load(file).root());
}

void override_nics(const json::Value& value, NodeType& type) {
  json::ObjectReader spec(value);
  const auto count = spec.find("count");
  override_nic(spec, type.nic_spec);
  spec.finish();
  if (!count) return;
  const auto& vertices = type.graph.vertices;
  const auto slots = std::count_if(vertices.begin(), vertices.end(),
                                   [](const Vertex& v) { return v.kind == VertexKind::nic; });
  const std::int64_t wanted = count->as_integer(1, 1'024);
  if (wanted > slots)
    count->fail(
        fmt::format("{} NICs a node, but a {} has slots for {}", wanted, type.title, slots));
  keep_nics(type, static_cast<std::size_t>(wanted));
}

std::unique_ptr<Fabric> read_fabric(const json::Value& value, const FabricSite& site) {
  json::ObjectReader spec(value);
  const json::Value kind = spec.at("kind");
  const Registry<FabricKind> kinds = fabric_kinds();
  const FabricKind* row = kinds.find(kind.as_string());
  if (row == nullptr) kind.fail(unknown_name("fabric kind", kind.as_string(), kinds.names()));
  if (site.nodes > 1 && site.nics_per_node == 0 && row->name != "none")
    kind.fail("a fabric joins NICs, but the node type has none");
  auto fabric = row->build(spec, value, site);
  spec.finish();
  return fabric;
}

/// PXN needs NVLink, and rails to be aligned with; packets are spread where the network does so by
/// itself: InfiniBand with adaptive routing, EFA's SRD. Ethernet hashes flows (ECMP).
Routing routing_for(const NodeType& type, std::string_view fabric) {
  if ((fabric == "rail_optimised" || fabric == "ring") && type.nvlink_among(type.gpus.size()))
    return Routing::rail_aligned;
  return type.nic_spec.kind == LinkKind::ib || type.nic_spec.kind == LinkKind::efa ? Routing::spray
                                                                                   : Routing::hash;
}

}  // namespace

void read_cluster(json::ObjectReader& reader, const json::Value& root, const fs::path& folder,
                  Cluster& cluster) {
  const auto known = {"node", "nodes", "nics", "fabric", "gpu", "routing"};
  for (const char* key : known) reader.find(key);
  json::Problems problems;
  problems.attempt([&] { reader.finish(); });
  problems.attempt([&] {
    cluster.nodes = static_cast<std::size_t>(reader.at("nodes").as_integer(1, most_nodes));
  });
  problems.attempt([&] {
    NodeType type = read_node(reader.at("node"), folder);
    if (const auto nics = reader.find("nics")) override_nics(*nics, type);
    if (const auto gpu = reader.find("gpu")) type.gpu_model = gpu->as_string();
    prepare_or_fail(type, reader.at("node"));
    cluster.types.push_back(std::move(type));
  });
  problems.attempt([&] { cluster.routing = read_routing(reader, Routing::spray); });
  const auto fabric = reader.find("fabric");
  if (cluster.types.empty() || cluster.nodes == 0) problems.raise();
  const NodeType& type = cluster.types.front();
  if (cluster.nodes * type.gpus.size() > most_gpus)
    reader.at("nodes").fail(
        fmt::format("{} nodes of {} GPUs are more than the {} GPUs a topology can hold",
                    cluster.nodes, type.gpus.size(), most_gpus));
  problems.attempt([&] {
    if (!fabric && cluster.nodes > 1)
      root.fail(fmt::format("missing key 'fabric': {} nodes must be joined", cluster.nodes));
    const FabricSite site{cluster.nodes, type.nics.size(), type.nic_spec};
    if (fabric)
      cluster.fabric = read_fabric(*fabric, site);
    else
      cluster.fabric = fabric_kinds().at("none").build(reader, root, site);
  });
  problems.raise();
  const std::size_t links = cluster.nodes * type.graph.links.size() + cluster.fabric->link_count();
  if (links >= std::numeric_limits<std::uint32_t>::max())
    reader.at("nodes").fail(
        fmt::format("the cluster has {} links; at most 4294967294 can be numbered", links));
  if (!reader.find("routing")) {
    const std::string kind =
        fabric ? std::string(json::ObjectReader(*fabric).at("kind").as_string()) : "none";
    cluster.routing = routing_for(type, kind);
  }
}

}  // namespace dsim
