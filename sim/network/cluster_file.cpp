// Clusters of equal nodes: a node type, a count and a fabric.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "sim/base/data_files.h"
#include "sim/base/spelling.h"
#include "sim/network/link_defaults.h"
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

NodeType read_node(const json::Value& value, const fs::path& folder, Cluster& cluster) {
  json::Value root = value;
  if (value.kind() != json::Kind::object) {
    const fs::path file = find_node_file(value, folder);
    cluster.gpu_document = std::make_shared<json::Document>(json::Document::load(file));
    root = cluster.gpu_document->root();
  }
  NodeType type = read_node_type(root);
  cluster.gpu_place = json::ObjectReader(root).at("gpu");
  return type;
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

const FabricKind& read_fabric_kind(const json::Value& fabric) {
  json::ObjectReader spec(fabric);
  const json::Value kind = spec.at("kind");
  const Registry<FabricKind> kinds = fabric_kinds();
  if (const FabricKind* row = kinds.find(kind.as_string())) return *row;
  kind.fail(unknown_name("fabric kind", kind.as_string(), kinds.names()));
}

std::unique_ptr<Fabric> read_fabric(const json::Value& value, const FabricKind& kind,
                                    const FabricSite& site) {
  json::ObjectReader spec(value);
  const json::Value name = spec.at("kind");
  if (site.nodes > 1 && site.nics_per_node == 0 && kind.name != "none")
    name.fail("a fabric joins NICs, but the node type has none");
  auto fabric = kind.build(spec, value, site);
  spec.finish();
  return fabric;
}

void check_size(const Cluster& cluster, const json::Value& nodes) {
  const NodeType& type = cluster.types.front();
  if (cluster.nodes * type.gpus.size() > most_gpus)
    nodes.fail(fmt::format("{} nodes of {} GPUs are more than the {} GPUs a topology can hold",
                           cluster.nodes, type.gpus.size(), most_gpus));
  const std::size_t fabric_links = cluster.fabric ? cluster.fabric->link_count() : 0;
  const std::size_t links = cluster.nodes * type.graph.links.size() + fabric_links;
  if (links >= std::numeric_limits<std::uint32_t>::max())
    nodes.fail(fmt::format("{} nodes have {} links; at most 4294967294 can be numbered",
                           cluster.nodes, links));
}

/// PXN needs NVLink, and rails to be aligned with.
Routing routing_for(const NodeType& type, std::string_view fabric) {
  const std::array rails{"rail_optimised", "ring", "torus", "fully_connected"};
  const bool aligned = std::find(rails.begin(), rails.end(), fabric) != rails.end();
  if (aligned && type.nvlink_among(type.gpus.size())) return Routing::rail_aligned;
  return default_routing(type.nic_spec.kind);
}

}  // namespace

void read_cluster(json::ObjectReader& reader, const json::Value& root, const fs::path& folder,
                  Cluster& cluster) {
  for (const char* key : {"node", "nodes", "nics", "fabric", "gpu", "routing"}) reader.find(key);
  const auto nodes = reader.find("nodes"), node = reader.find("node"),
             fabric = reader.find("fabric");
  const FabricKind* kind = nullptr;
  json::Problems problems;
  problems.attempt([&] {
    reader.at("node");
    reader.at("nodes");
    reader.finish();
  });
  problems.attempt([&] {
    if (nodes) cluster.nodes = static_cast<std::size_t>(nodes->as_integer(1, most_nodes));
  });
  problems.attempt([&] {
    if (!node) return;
    auto document = cluster.gpu_document;
    NodeType type = read_node(*node, folder, cluster);
    if (const auto nics = reader.find("nics")) override_nics(*nics, type);
    if (const auto gpu = reader.find("gpu")) {
      type.gpu_model = read_gpu(*gpu);
      cluster.gpu_document = std::move(document);
      cluster.gpu_place = *gpu;
    }
    prepare_or_fail(type, *node);
    cluster.types.push_back(std::move(type));
  });
  problems.attempt([&] { cluster.routing = read_routing(reader, Routing::spray); });
  problems.attempt([&] {
    if (fabric) kind = &read_fabric_kind(*fabric);
  });
  if (cluster.types.empty() || cluster.nodes == 0) problems.raise();
  const NodeType& type = cluster.types.front();
  problems.attempt([&] { check_size(cluster, *nodes); });
  problems.attempt([&] {
    const FabricSite site{cluster.nodes, type.nics.size(), type.nic_spec};
    if (kind != nullptr) cluster.fabric = read_fabric(*fabric, *kind, site);
  });
  problems.raise();
  if (!fabric) {
    if (cluster.nodes > 1)
      root.fail(fmt::format("missing key 'fabric': {} nodes must be joined", cluster.nodes));
    kind = &fabric_kinds().at("none");
    cluster.fabric = kind->build(reader, root, FabricSite{1, type.nics.size(), type.nic_spec});
  }
  check_size(cluster, *nodes);
  if (!reader.find("routing")) cluster.routing = routing_for(type, kind->name);
}

}  // namespace dsim
