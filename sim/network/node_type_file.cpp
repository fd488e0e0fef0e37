#include "sim/network/node_type_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sim/base/spelling.h"
#include "sim/network/graph_reader.h"
#include "sim/network/link_values.h"

namespace dsim {

void read_hardware(json::ObjectReader& reader, NodeType& type) {
  const json::Value gpu = reader.at("gpu");
  type.gpu_model = gpu.as_string();
  if (type.gpu_model.empty())
    gpu.fail("the GPU model is empty; a name such as \"h100-sxm\" is expected");
  constexpr std::array<std::string_view, 3> vendors{"intel", "amd", "arm"};
  const json::Value cpu = reader.at("cpu");
  type.cpu_vendor = cpu.as_string();
  if (std::find(vendors.begin(), vendors.end(), type.cpu_vendor) == vendors.end())
    cpu.fail(unknown_name("CPU vendor", type.cpu_vendor, vendors));
}

NodeType read_node_type(const json::Value& root) {
  json::ObjectReader reader(root);
  const json::Value format = reader.at("format");
  if (format.as_string() != "dsim.node/1")
    format.fail(
        fmt::format("the format is '{}'; a node type has \"dsim.node/1\"", format.as_string()));
  for (const char* key : {"title", "gpu", "cpu", "vertices", "nic", "links", "note"})
    reader.find(key);

  json::Problems problems;
  NodeType type;
  GraphReader graph(problems, false);
  std::size_t gpus = 0, nics = 0;
  problems.attempt([&] { reader.finish(); });
  problems.attempt([&] { type.title = reader.at("title").as_string(); });
  problems.attempt([&] { read_hardware(reader, type); });
  problems.attempt([&] {
    const json::Value vertices = reader.at("vertices");
    graph.read_vertices(vertices);
    for (const Vertex& vertex : graph.graph().vertices) {
      gpus += vertex.kind == VertexKind::gpu;
      nics += vertex.kind == VertexKind::nic;
    }
    if (gpus == 0) vertices.fail("a node needs at least one gpu");
  });
  problems.attempt([&] {
    if (nics == 0 && !reader.find("nic")) return;
    json::ObjectReader spec(reader.at("nic"));
    type.nic_spec = read_nic(spec);
    spec.finish();
  });
  problems.raise();  // wrong vertices would make every mention of them wrong too
  problems.attempt([&] { graph.read_links(reader.at("links")); });
  problems.raise();
  check_connected(graph.graph(), "the node", reader.at("links"));
  type.gpu_links = graph.gpu_links();
  type.graph = std::move(graph.graph());
  return type;
}

void prepare_or_fail(NodeType& type, const json::Value& place) {
  const std::string fault = prepare(type);
  if (!fault.empty()) place.fail(fault);
}

}  // namespace dsim
