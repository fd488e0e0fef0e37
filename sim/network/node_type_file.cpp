#include "sim/network/node_type_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sim/base/spelling.h"
#include "sim/network/graph_reader.h"
#include "sim/network/link_values.h"

namespace dsim {

std::string read_gpu(const json::Value& value) {
  if (value.as_string().empty())
    value.fail("the GPU model is empty; a name such as \"h100-sxm\" is expected");
  return std::string(value.as_string());
}

std::string read_cpu(const json::Value& value) {
  constexpr std::array<std::string_view, 3> vendors{"intel", "amd", "arm"};
  const std::string_view name = value.as_string();
  if (std::find(vendors.begin(), vendors.end(), name) == vendors.end())
    value.fail(unknown_name("CPU vendor", name, vendors));
  return std::string(name);
}

static PathClass read_path_class(const json::Value& value) {
  constexpr std::array<std::string_view, 7> known{"off", "nvl", "nvb", "pix", "pxb", "phb", "sys"};
  const std::string_view name = value.as_string();
  if (std::find(known.begin(), known.end(), name) == known.end())
    value.fail(unknown_name("path class", name, known));
  return path_class_named(name).value_or(PathClass::loc);
}

NodeType read_node_type(const json::Value& root) {
  json::ObjectReader reader(root);
  const json::Value format = reader.at("format");
  if (format.as_string() != "dsim.node/1")
    format.fail(
        fmt::format("the format is '{}'; a node type has \"dsim.node/1\"", format.as_string()));
  const auto title = reader.find("title"), gpu = reader.find("gpu"), cpu = reader.find("cpu");
  const auto vertices = reader.find("vertices"), links = reader.find("links");
  const auto nic = reader.find("nic"), p2p = reader.find("p2p"),
             gpudirect = reader.find("gpudirect");
  reader.find("note");

  json::Problems problems;
  NodeType type;
  GraphReader graph(problems, false);
  std::size_t gpus = 0, nics = 0;
  bool known = false;
  problems.attempt([&] {
    for (const char* key : {"title", "gpu", "cpu", "vertices", "links"}) reader.at(key);
    reader.finish();
  });
  problems.attempt([&] { type.title = title ? title->as_string() : ""; });
  problems.attempt([&] { type.gpu_model = gpu ? read_gpu(*gpu) : ""; });
  problems.attempt([&] { type.cpu_vendor = cpu ? read_cpu(*cpu) : ""; });
  problems.attempt([&] { type.most_p2p = p2p ? read_path_class(*p2p) : PathClass::sys; });
  problems.attempt([&] { type.gpudirect = gpudirect ? gpudirect->as_bool() : true; });
  problems.attempt([&] {
    if (!vertices) return;
    graph.read_vertices(*vertices);
    known = true;
    for (const Vertex& vertex : graph.graph().vertices) {
      gpus += vertex.kind == VertexKind::gpu;
      nics += vertex.kind == VertexKind::nic;
    }
    if (gpus == 0) vertices->fail("a node needs at least one gpu");
  });
  problems.attempt([&] {
    if (nics > 0 && !nic) root.fail("missing key 'nic': the kind and bandwidth of the NICs");
    if (!nic) return;
    json::ObjectReader spec(*nic);
    type.nic_spec = read_nic(spec);
    spec.finish();
  });
  problems.attempt([&] {
    if (known && links) graph.read_links(*links);
  });
  problems.raise();
  check_connected(graph.graph(), "the node", *links);
  type.gpu_links = graph.gpu_links();
  type.graph = std::move(graph.graph());
  return type;
}

void prepare_or_fail(NodeType& type, const json::Value& place) {
  constexpr std::ptrdiff_t most = 1024;  // routes inside a machine are kept for each pair
  for (const VertexKind kind : {VertexKind::gpu, VertexKind::nic}) {
    const auto& all = type.graph.vertices;
    const auto count =
        std::count_if(all.begin(), all.end(), [&](const Vertex& v) { return v.kind == kind; });
    if (count > most)
      place.fail(fmt::format("{} {}s in one machine; at most {} are possible", count, name_of(kind),
                             most));
  }
  const std::string fault = prepare(type);
  if (!fault.empty()) place.fail(fault);
}

}  // namespace dsim
