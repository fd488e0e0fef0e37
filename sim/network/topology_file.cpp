// The entry: which of the two forms a topology file has.
#include "sim/network/topology_file.h"

#include <fmt/format.h>

#include <array>

#include "sim/base/data_files.h"
#include "sim/base/spelling.h"

namespace dsim {

Routing read_routing(json::ObjectReader& reader, Routing fallback) {
  const auto value = reader.find("routing");
  if (!value) return fallback;
  constexpr std::array all{Routing::rail_aligned, Routing::spray, Routing::hash};
  std::vector<std::string_view> known;
  for (const Routing routing : all) {
    if (name_of(routing) == value->as_string()) return routing;
    known.push_back(name_of(routing));
  }
  value->fail(unknown_name("routing", value->as_string(), known));
}

static std::shared_ptr<const Topology> read_topology(
    const std::shared_ptr<const json::Document>& document, std::string stem,
    const std::filesystem::path& folder) {
  const json::Value root = document->root();
  json::ObjectReader reader(root);
  const json::Value format = reader.at("format");
  if (format.as_string() != "dsim.topology/1")
    format.fail(
        fmt::format("the format is '{}'; a topology has \"dsim.topology/1\"", format.as_string()));
  reader.find("note");
  auto cluster = std::make_shared<Cluster>();
  cluster->gpu_document = document;
  cluster->name = std::move(stem);
  if (const auto name = reader.find("name")) cluster->name = name->as_string();
  const auto faults = reader.find("faults");
  if (reader.find("vertices"))
    read_explicit(reader, root, *cluster);
  else
    read_cluster(reader, root, folder, *cluster);
  if (faults) read_faults(*faults, *cluster);
  return std::make_shared<ClusterTopology>(std::move(cluster));
}

std::shared_ptr<const Topology> load_topology(const std::filesystem::path& path) {
  const std::filesystem::path found = find_data_file(path.string(), "topologies");
  return read_topology(std::make_shared<json::Document>(json::Document::load(found)),
                       found.stem().string(), found.parent_path());
}

std::shared_ptr<const Topology> parse_topology(std::string text, std::string name) {
  std::string stem = std::filesystem::path(name).stem().string();
  return read_topology(
      std::make_shared<json::Document>(json::Document::parse(std::move(text), std::move(name))),
      std::move(stem), {});
}

}  // namespace dsim
