// What `dsim topo` shows: text, JSON and the Graphviz drawing.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "sim/base/data_files.h"
#include "sim/base/json.h"
#include "sim/network/topology_dot.h"
#include "sim/network/topology_report.h"

namespace dsim {
namespace {

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size()))
    ++count;
  return count;
}

TEST_CASE("dgx8x64 in words and numbers") {
  // 64 nodes x 8 GPUs x 2 directions of NVLink; 64 x 8 NICs and 16 leaves x 32 cables, two ways
  // each.
  CHECK(topology_text(summarize(*load_topology("dgx8x64"))) ==
        R"(64 × DGX H100 (8 × NVLink4, 8 × 400 Gb/s), rail-optimised fat tree

GPUs         512 × h100-sxm, 64 nodes, intel CPUs
Vertices     512 gpu · 64 nvswitch · 512 pcie_switch · 128 cpu · 512 nic
             16 leaf · 8 spine
Links        kind      between                   one way    latency      number
             nvlink    gpu - nvswitch           450 GB/s   300.0 ns       1,024
             pcie      gpu - pcie_switch         63 GB/s   650.0 ns       1,024
             pcie      pcie_switch - cpu         63 GB/s   350.0 ns       1,024
             pcie      pcie_switch - nic         63 GB/s   200.0 ns       1,024
             socket    cpu - cpu                 22 GB/s   200.0 ns         128
             ib        nic - leaf               400 Gb/s   575.0 ns       1,024
             ib        leaf - spine             400 Gb/s   150.0 ns       1,024
Bisection    12.8 TB/s one way, half of the nodes to the other half
             100.0 % of what their NICs can send
Farthest     10 links, 3 switches (rail_aligned routing)
GPU:NIC      0:0  1:1  2:2  3:3  4:4  5:5  6:6  7:7
)");
}

TEST_CASE("the text of every shipped topology fits 30 lines of 80 columns") {
  for (const auto& entry : std::filesystem::directory_iterator(data_directory() / "topologies")) {
    if (entry.path().extension() != ".json") continue;
    INFO(entry.path());
    const std::string text = topology_text(summarize(*load_topology(entry.path())));
    CHECK(occurrences(text, "\n") <= 30);
    std::size_t column = 0;
    for (const char c : text) {
      if (c == '\n')
        column = 0;
      else if ((static_cast<unsigned char>(c) & 0xc0) != 0x80)
        ++column;
      CHECK(column <= 80);
    }
  }
}

TEST_CASE("the JSON of a topology holds the same numbers") {
  const TopologySummary summary = summarize(*load_topology("dgx1-v100x2"));
  const auto document = json::Document::parse(topology_json(summary), "summary");
  json::ObjectReader reader(document.root());
  CHECK(reader.at("format").as_string() == "dsim.topology-summary/1");
  CHECK(reader.at("gpus").as_integer() == 16);
  CHECK(reader.at("nodes").as_integer() == 2);
  CHECK(reader.at("bisection_bytes_per_s").as_number() == Approx(50e9));
  CHECK(reader.at("longest_route_switches").as_integer() == 1);
  json::ObjectReader vertices(reader.at("vertices"));
  CHECK(vertices.at("nic").as_integer() == 8);
  std::int64_t links = 0;
  for (const json::Value& value : reader.at("links").elements())
    links += json::ObjectReader(value).at("one_way_links").as_integer();
  // A node: 16 joined pairs of GPUs, 8 + 4 PCIe cables, 4 to the CPUs, 1 between them; 4 NICs.
  CHECK(links == 2 * 2 * (16 + 8 + 4 + 4 + 1 + 4));
  CHECK(reader.at("gpu_nics").elements()[7].elements()[0].as_integer() == 3);
}

TEST_CASE("a small topology is drawn whole, with parallel cables as one edge") {
  const auto topology = load_topology("a100x16-oversubscribed");
  const std::string dot = topology_dot(*topology);
  CHECK(occurrences(dot, "subgraph cluster") == 16);
  CHECK(occurrences(dot, "[label=\"node") == topology->vertex_count() - 4 - 4);
  // 4 leaves x 16 cables up to 4 spines: four parallel ones each; a node has 33 - 4 edges less
  // PCIe.
  CHECK(occurrences(dot, "[label=\"4 × 200 Gb/s\"]") == 16);
  CHECK(occurrences(dot, " -- ") == 16 * (8 + 16 + 4 + 1) + 128 + 16);
  CHECK(dot.ends_with("}\n"));
}

TEST_CASE("of a large topology the first node and its switches are drawn") {
  const auto topology = parse_topology(
      R"({"format": "dsim.topology/1", "node": "dgx-h100", "nodes": 128, "fabric": {"kind": "rail_optimised"}})",
      "t.json");
  const std::string dot = topology_dot(*topology);
  CHECK(occurrences(dot, "subgraph cluster") == 1);
  CHECK(occurrences(dot, "[label=\"leaf") == 8);
  CHECK(dot.find(fmt::format("the first node and its switches; {} vertices in all",
                             topology->vertex_count())) != std::string::npos);
}

TEST_CASE("names with quotes do not break the drawing") {
  const auto topology = parse_topology(
      R"({"format": "dsim.topology/1", "gpu": "x", "cpu": "amd", "vertices": {"gpu": ["a\"b\\", "c\nd"]},
          "links": [{"kind": "nvlink", "bandwidth": "25 GB/s", "between": [["a\"b\\", "c\nd"]]}]})",
      "t.json");
  const std::string dot = topology_dot(*topology);
  CHECK(dot.find(R"(label="a\"b\\")") != std::string::npos);
  CHECK(dot.find(R"(label="c\nd")") != std::string::npos);
}

}  // namespace
}  // namespace dsim
