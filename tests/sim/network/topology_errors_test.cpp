// What a user reads about a wrong topology file.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "sim/network/topology.h"
#include "tests/support/message_of.h"
#include "tests/support/temporary_folder.h"

namespace dsim {
namespace {

std::string error_of(const std::string& text) {
  return test::message_of([&] { parse_topology(text, "pod.json"); });
}

TEST_CASE("several faults of a topology file are reported together") {
  CHECK(
      error_of(R"({
  "format": "dsim.topology/1",
  "node": "dgx-h10",
  "nodes": 0,
  "fabrc": {"kind": "ring"},
  "routing": "sprayed"
})") ==
      R"(pod.json:3:11: error: unknown node type 'dgx-h10' (did you mean 'dgx-h100'? known: a3-high, a3-mega, a3-ultra, a4, dgx-a100-40, dgx-a100-80, dgx-b200, dgx-h100, dgx-h200, dgx-spark, dgx1-p100, dgx1-v100, dgx2, g4dn-metal, g5-48xlarge, gb200-nvl4, gb200-nvl72, gh200-x4, hgx-a100-4, hgx-a800, ... (50 in all))
    3 |   "node": "dgx-h10",
      |           ^~~~~~~~~
pod.json:4:12: error: expected an integer from 1 to 1000000, found 0
    4 |   "nodes": 0,
      |            ^
pod.json:5:3: error: unknown key 'fabrc' (did you mean 'fabric'? known: format, note, name, faults, vertices, node, nodes, nics, fabric, gpu, routing)
    5 |   "fabrc": {"kind": "ring"},
      |   ^~~~~~~
pod.json:6:14: error: unknown routing 'sprayed' (did you mean 'spray'? known: rail_aligned, spray, hash)
    6 |   "routing": "sprayed"
      |              ^~~~~~~~~)");
}

/// A cluster of two machines written out, with `node` in place of the parts that differ.
std::string machine(const std::string& vertices, const std::string& links, const std::string& nic) {
  return R"({"format": "dsim.topology/1", "nodes": 2, "fabric": {"kind": "single_switch"}, "node": {
  "format": "dsim.node/1", "title": "box", "gpu": "l40s", "cpu": "amd",
  "nic": )" +
         nic + R"(,
  "vertices": )" +
         vertices + R"(,
  "links": [)" +
         links + "]}}";
}

const std::string good_nic = R"({"kind": "ib", "bandwidth": "100 Gb/s"})";
const std::string good_vertices = R"({"gpu": 2, "cpu": 1, "nic": 1})";
const std::string good_links =
    R"({"kind": "pcie", "bandwidth": "31.5 GB/s", "between": [["gpu0", "cpu0"], ["gpu1", "cpu0"], ["nic0", "cpu0"]]})";

TEST_CASE("the machine that the cases below spoil is right") {
  CHECK(error_of(machine(good_vertices, good_links, good_nic)) == "no error");
}

TEST_CASE(
    "a link to an unknown vertex, of an unknown kind or rate is shown with the nearest name") {
  CHECK(
      error_of(machine(good_vertices, R"({"kind": "pcie", "bandwidth": "31.5 GB/s",
    "between": [["gpu0", "cpu0"], ["gpu1", "cpu"], ["gpu2", "cpu0"]]},
    {"kind": "nvlnk", "bandwidth": "25 GB/s", "between": []},
    {"kind": "pcie", "bandwidth": "0 GB/s", "between": []},
    {"kind": "pcie", "bandwidth": "900 TB/s", "between": []},
    {"kind": "pcie", "bandwidth": "25", "between": []},
    {"kind": "pcie", "bandwidth": "25 GB/s", "latency": "2 s", "between": []})",
                       good_nic)) ==
      R"(pod.json:6:44: error: unknown vertex 'cpu' (did you mean 'cpu0'? known: gpu0, gpu1, cpu0, nic0)
    6 |     "between": [["gpu0", "cpu0"], ["gpu1", "cpu"], ["gpu2", "cpu0"]]},
      |                                            ^~~~~
pod.json:6:53: error: unknown vertex 'gpu2' (did you mean 'gpu0'? known: gpu0, gpu1, cpu0, nic0)
    6 |     "between": [["gpu0", "cpu0"], ["gpu1", "cpu"], ["gpu2", "cpu0"]]},
      |                                                     ^~~~~~
pod.json:7:14: error: unknown link kind 'nvlnk' (did you mean 'nvlink'? known: nvlink, xgmi, c2c, pcie, socket)
    7 |     {"kind": "nvlnk", "bandwidth": "25 GB/s", "between": []},
      |              ^~~~~~~
pod.json:8:35: error: a bandwidth must be more than zero
    8 |     {"kind": "pcie", "bandwidth": "0 GB/s", "between": []},
      |                                   ^~~~~~~~
pod.json:9:35: error: a bandwidth of 900 TB/s is out of range: 1 kb/s to 100 TB/s
    9 |     {"kind": "pcie", "bandwidth": "900 TB/s", "between": []},
      |                                   ^~~~~~~~~~
pod.json:10:35: error: expected a bandwidth such as "400 Gb/s", found "25" (the unit is missing)
   10 |     {"kind": "pcie", "bandwidth": "25", "between": []},
      |                                   ^~~~
pod.json:11:57: error: a latency of 2 s is out of range: at most 1 s
   11 |     {"kind": "pcie", "bandwidth": "25 GB/s", "latency": "2 s", "between": []}]}}
      |                                                         ^~~~~)");
}

TEST_CASE("links that make no sense are named") {
  using Catch::Contains;
  const auto with_pairs = [](const std::string& kind, const std::string& pairs) {
    return error_of(machine(
        good_vertices,
        good_links + R"(, {"kind": ")" + kind + R"(", "bandwidth": "25 GB/s", )" + pairs + "}",
        good_nic));
  };
  CHECK_THAT(with_pairs("nvlink", R"("between": [["gpu0", "gpu0"]])"),
             Contains("'gpu0' is joined to itself"));
  CHECK_THAT(with_pairs("nvlink", R"("between": [["gpu0", "nic0"]])"),
             Contains("a link of kind nvlink cannot join gpu 'gpu0' and nic 'nic0'"));
  CHECK_THAT(with_pairs("pcie", R"("between": [["cpu0", "gpu0"]])"),
             Contains("'cpu0' and 'gpu0' are joined already; write the number of parallel links as "
                      "a third element"));
  CHECK_THAT(with_pairs("nvlink", R"("between": [["gpu0", "gpu1", 0]])"),
             Contains("expected an integer from 1 to 1024, found 0"));
  CHECK_THAT(with_pairs("nvlink", R"("between": [["gpu0"]])"),
             Contains("a link is a pair of vertex names"));
  CHECK_THAT(
      with_pairs("nvlink", R"("one_way": [["gpu0", "gpu1"]])"),
      Contains("nothing leads back from 'gpu1' to 'gpu0': add that direction, or use \"between\""));
  CHECK_THAT(
      error_of(machine(
          good_vertices,
          good_links +
              R"(, {"kind": "nvlink", "bandwidth": "25 GB/s", "one_way": [["gpu0", "gpu1"]]},
      {"kind": "nvlink", "bandwidth": "50 GB/s", "one_way": [["gpu1", "gpu0"]]})",
          good_nic)),
      Contains("nvlink is equally fast in both directions, but 'gpu0' to 'gpu1' and back differ"));
}

TEST_CASE("vertices that are missing, doubled or cut off are named") {
  using Catch::Contains;
  const auto with_vertices = [](const std::string& vertices) {
    return error_of(machine(vertices, good_links, good_nic));
  };
  CHECK_THAT(with_vertices(R"({"cpu": 1, "nic": 1})"), Contains("a node needs at least one gpu"));
  CHECK_THAT(with_vertices(R"({"gpu": ["gpu0", "gpu1"], "cpu": ["cpu0", "gpu1"], "nic": 1})"),
             Contains("the name 'gpu1' is taken by another vertex"));
  CHECK_THAT(with_vertices(R"({"gpus": 2, "cpu": 1, "nic": 1})"),
             Contains("unknown vertex kind 'gpus' (did you mean 'gpu'? known: gpu, nvswitch, "
                      "pcie_switch, cpu, nic)"));
  CHECK_THAT(with_vertices(R"({"gpu": 4, "cpu": 1, "nic": 1})"),
             Contains("the node is not connected: 'gpu2', 'gpu3' cannot reach 'gpu0'"));
  CHECK_THAT(with_vertices(R"({"gpu": -1, "cpu": 1, "nic": 1})"),
             Contains("expected an integer from 0 to 1024, found -1"));
  CHECK_THAT(with_vertices(R"({"gpu": 100000000000, "cpu": 1, "nic": 1})"),
             Contains("expected an integer from 0 to 1024"));
  CHECK_THAT(with_vertices(R"({"gpu": [""], "cpu": 1, "nic": 1})"),
             Contains("a vertex needs a name that is not empty"));
  // Connected, but a NIC or a GPU passes nothing on.
  CHECK_THAT(
      error_of(machine(
          good_vertices,
          R"({"kind": "pcie", "bandwidth": "31.5 GB/s", "between": [["gpu0", "gpu1"], ["gpu1", "cpu0"], ["nic0", "cpu0"]]})",
          good_nic)),
      Contains("'gpu0' reaches 'nic0' only through other GPUs or NICs, which pass nothing on"));
}

TEST_CASE("counts beyond reason are refused before anything is built") {
  using Catch::Contains;
  const auto cluster = [](const std::string& rest) {
    return error_of(R"({"format": "dsim.topology/1", "node": "dgx-h100", )" + rest + "}");
  };
  CHECK_THAT(cluster(R"("nodes": 1000001, "fabric": {"kind": "single_switch"})"),
             Contains("expected an integer from 1 to 1000000, found 1000001"));
  CHECK_THAT(cluster(R"("nodes": 99999999999999999999, "fabric": {"kind": "single_switch"})"),
             Contains("expected an integer"));
  CHECK_THAT(cluster(R"("nodes": 2.5, "fabric": {"kind": "single_switch"})"),
             Contains("expected an integer"));
  CHECK_THAT(cluster(R"("nodes": 2)"), Contains("missing key 'fabric': 2 nodes must be joined"));
  CHECK_THAT(cluster(R"("nodes": 2, "fabric": {"kind": "none"})"),
             Contains("2 nodes need a fabric that joins them, such as single_switch"));
  CHECK_THAT(cluster(R"("nodes": 1, "fabric": {"kind": "ring"})"),
             Contains("a ring needs at least 2 nodes; this cluster has 1"));
  CHECK_THAT(cluster(R"("nodes": 2, "fabric": {"kind": "single_switch"}, "nics": {"count": 9})"),
             Contains("9 NICs a node, but a DGX H100 has slots for 8"));
  CHECK_THAT(cluster(R"("nodes": 2, "fabric": {"kind": "single_switch", "spines": 2})"),
             Contains("unknown key 'spines'"));
  CHECK_THAT(
      cluster(
          R"("nodes": 9, "fabric": {"kind": "fat_tree", "nodes_per_leaf": 2, "oversubscription": "3:1"})"),
      Contains(
          "16 NICs below a leaf and 3:1 make 5.333 cables up; it must be a whole number from 1"));
  CHECK_THAT(cluster(R"("nodes": 9, "fabric": {"kind": "fat_tree", "oversubscription": "two"})"),
             Contains("'two' is not a ratio of down to up"));
  CHECK_THAT(cluster(R"("nodes": 9, "fabric": {"kind": "rail_optimised", "scalable_unit": 0})"),
             Contains("expected an integer from 1 to 1000000, found 0"));
  const std::string wide =
      R"({"format": "dsim.node/1", "title": "wide", "gpu": "l40s", "cpu": "amd", "nic": {"kind": "ib", "bandwidth": "100 Gb/s"},
    "vertices": {"gpu": 20, "nvswitch": 1, "cpu": 1, "nic": 1}, "links": [{"kind": "nvlink", "bandwidth": "25 GB/s", "between": [["gpu0", "nvswitch0"]]}]})";
  CHECK_THAT(error_of(R"({"format": "dsim.topology/1", "nodes": 1000000, "node": )" + wide +
                      R"(, "fabric": {"kind": "single_switch"}})"),
             Contains("the node is not connected"));
}

TEST_CASE("more than 2^24 GPUs are refused") {
  std::string pairs = R"(["nic0", "cpu0"])";
  for (int g = 0; g < 20; ++g) pairs += ", [\"gpu" + std::to_string(g) + "\", \"cpu0\"]";
  const std::string node =
      R"({"format": "dsim.node/1", "title": "wide", "gpu": "l40s", "cpu": "amd", "nic": {"kind": "ib", "bandwidth": "100 Gb/s"},
    "vertices": {"gpu": 20, "cpu": 1, "nic": 1}, "links": [{"kind": "pcie", "bandwidth": "25 GB/s", "between": [)" +
      pairs + "]}]}";
  CHECK_THAT(
      error_of(
          R"({"format": "dsim.topology/1", "nodes": 1000000, "fabric": {"kind": "single_switch"}, "node": )" +
          node + "}"),
      Catch::Contains(
          "1000000 nodes of 20 GPUs are more than the 16777216 GPUs a topology can hold"));
}

TEST_CASE("an explicit graph says which hosts and vertices are wrong") {
  using Catch::Contains;
  const auto graph = [](const std::string& hosts, const std::string& more_links) {
    return error_of(
        R"({"format": "dsim.topology/1", "gpu": "l40s", "cpu": "amd",
      "vertices": {"gpu": ["g0", "g1"], "nic": ["n0", "n1"], "leaf": ["l"]},
      "hosts": )" +
        hosts +
        R"(, "links": [{"kind": "pcie", "bandwidth": "31.5 GB/s", "between": [["g0", "n0"], ["g1", "n1"]]})" +
        more_links + "]}");
  };
  const std::string hosts = R"({"a": ["g0", "n0"], "b": ["g1", "n1"]})";
  const std::string cables =
      R"(, {"kind": "ib", "bandwidth": "100 Gb/s", "between": [["n0", "l"], ["n1", "l"]]})";
  CHECK(graph(hosts, cables) == "no error");
  CHECK_THAT(graph(hosts, ""),
             Contains("the graph is not connected: 'g1', 'n1', 'l' cannot reach 'g0'"));
  CHECK_THAT(
      graph(hosts,
            cables + R"(, {"kind": "nvlink", "bandwidth": "25 GB/s", "between": [["g0", "g1"]]})"),
      Contains("a link of kind nvlink joins hosts 'a' and 'b'; only network links leave a host"));
  CHECK_THAT(graph(R"({"a": ["g0", "n0"], "b": ["g1", "n1", "n0"]})", cables),
             Contains("'n0' is in host 'a' already"));
  CHECK_THAT(graph(R"({"a": ["g0", "n0"], "b": ["g1", "n1", "l"]})", cables),
             Contains("'l' is a leaf of the fabric and stands in no host"));
  CHECK_THAT(graph(R"({"a": ["g0", "n0"], "b": ["g1"]})", cables),
             Contains("every vertex but a switch of the fabric is in a host; not so 'n1'"));
  CHECK_THAT(graph(R"({"a": ["g0", "n0"], "b": ["g1", "n1x"]})", cables),
             Contains("unknown vertex 'n1x' (did you mean 'n1'?"));
  CHECK_THAT(graph(R"({"a": ["g0", "n0"], "b": ["g1", "n1"], "c": []})", cables),
             Contains("host 'c' has no gpu"));
  CHECK_THAT(graph(hosts, R"(, {"kind": "ib", "bandwidth": "100 Gb/s", "between": [["g0", "l"]]})"),
             Contains("a link of kind ib cannot join gpu 'g0' and leaf 'l'"));
}

TEST_CASE("a machine of more GPUs than can be one is refused") {
  CHECK_THAT(
      error_of(
          R"({"format": "dsim.topology/1", "gpu": "l40s", "cpu": "amd", "vertices": {"gpu": 1025, "nvswitch": 1},
      "links": [{"kind": "nvlink", "bandwidth": "25 GB/s", "between": [)" +
          [] {
            std::string pairs;
            for (int g = 0; g < 1025; ++g)
              pairs += (g > 0 ? ", " : "") + ("[\"gpu" + std::to_string(g)) + "\", \"nvswitch0\"]";
            return pairs;
          }() +
          "]}]}"),
      Catch::Contains("1025 gpus in one machine; at most 1024 are possible"));
}

TEST_CASE("files that are no topologies are refused with a sentence") {
  using Catch::Contains;
  CHECK_THAT(error_of(""), Contains("pod.json:1:1: error: "));
  CHECK_THAT(error_of("[]"), Contains("expected an object"));
  CHECK_THAT(error_of("{}"), Contains("missing key 'format'"));
  CHECK_THAT(error_of(R"({"format": "dsim.topology/2"})"),
             Contains("the format is 'dsim.topology/2'; a topology has \"dsim.topology/1\""));
  CHECK_THAT(error_of(R"({"format": "dsim.topology/1", "node": 3, "nodes": "two"})"),
             Contains("expected a string"));
  CHECK_THAT(
      error_of(
          R"({"format": "dsim.topology/1", "vertices": [], "gpu": "x", "cpu": "arm", "links": {}})"),
      Contains("expected an object"));
  CHECK_THAT(error_of(std::string(100'000, '[')), Contains("error: "));
  CHECK_THAT(error_of("{\"format\": \"dsim.topology/1\", \"name\": \"\xff\xfe\"}"),
             Contains("UTF-8"));
  CHECK_THAT(test::message_of([] { load_topology("dgx8x65.json"); }),
             Contains("did you mean 'dgx8x64'?"));
  CHECK_THAT(test::message_of([] { load_topology("/"); }), Contains("directory"));
}

TEST_CASE("every prefix of a shipped file is an error and never a crash") {
  std::string text =
      R"({"format": "dsim.topology/1", "node": "dgx-h100", "nodes": 2, "nics": {"count": 4}, "fabric": {"kind": "ring"}})";
  CHECK(error_of(text) == "no error");
  for (std::size_t length = 0; length < text.size(); ++length)
    CHECK(error_of(text.substr(0, length)) != "no error");
}

TEST_CASE("node types are looked for beside the topology file first") {
  const test::TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() / "nodes");
  std::ofstream(folder.path() / "nodes" / "box.json")
      << R"({"format": "dsim.node/1", "title": "My box", "gpu": "l40s", "cpu": "amd",
    "vertices": {"gpu": 1, "cpu": 1}, "links": [{"kind": "pcie", "bandwidth": "31.5 GB/s", "between": [["gpu0", "cpu0"]]}]})";
  std::ofstream(folder.path() / "mine.json")
      << R"({"format": "dsim.topology/1", "node": "box", "nodes": 1})";
  const auto topology = load_topology(folder.path() / "mine.json");
  CHECK(topology->name() == "mine");
  CHECK(topology->description() == "1 × My box (PCIe), single node");
  CHECK(topology->nics_per_node() == 0);
}

}  // namespace
}  // namespace dsim
