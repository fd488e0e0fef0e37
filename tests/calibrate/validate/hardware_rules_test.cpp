#include "calibrate/validate/hardware_rules.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "model/compute/gpu.h"

using namespace dsim;

namespace {

/// Hardware of a row given as "gpu|gpus|gpus_per_node|intra_link|inter_link|notes".
Hardware hardware(std::string row) {
  for (char& c : row)
    if (c == '|') c = ';';
  const CsvTable table =
      CsvTable::parse("gpu;gpus;gpus_per_node;intra_link;inter_link;notes\n" + row + "\n", "t.csv");
  return hardware_of(RowInputs(table, 0));
}

std::string obstacle(const std::string& row) {
  try {
    hardware(row);
  } catch (const Unpredictable& why) {
    CHECK(why.obstacle == Obstacle::hardware);
    return why.reason;
  }
  return "";
}

}  // namespace

TEST_CASE("every node that a rule names is shipped and has a GPU of the table") {
  for (const NodeRule& rule : node_rules()) {
    INFO(rule.title);
    CHECK(!rule.source.empty());
    if (rule.node.empty()) continue;
    const auto topology =
        build_topology({.node = rule.node, .gpu_name = rule.gpu_name, .gpus = 16, .nodes = 2});
    CHECK(topology->gpu_count() == 16);
    CHECK(topology->gpus_per_node() == 8);
    CHECK_NOTHROW(gpu_by_name(topology->gpu_model()));
    if (!rule.gpu_name.empty()) CHECK(topology->gpu_model() == rule.gpu_name);
  }
}

TEST_CASE("the words of published tables lead to the right machine") {
  CHECK(hardware("A100-80GB|8|8|NVSwitch NVLink3 600GB/s||DGX-A100").node == "dgx-a100-80");
  CHECK(hardware("A100-SXM4-40GB|8|8|||").node == "dgx-a100-40");
  CHECK(hardware("V100-SXM2 (DGX-1)|8|8|NVLink2 cube mesh|4x100Gb IB per node|").gpu_name ==
        "v100-sxm2-16");
  CHECK(hardware("V100-32GB|8|8|NVLink2 cube-mesh 300GB/s||DGX-1V").gpu_name == "v100-sxm2-32");
  CHECK(hardware("H100-SXM-80GB|8||||").node == "dgx-h100");
  CHECK(hardware("NVIDIA H200-SXM5-141GB|8|8|||").node == "dgx-h200");
  CHECK(hardware("L40S|4|8|PCIe||").node == "pcie-l40s");
}

TEST_CASE("machines without a rule are not guessed") {
  CHECK(obstacle("V100-32GB|16|16|NVSwitch NVLink2 300GB/s||DGX-2") == "no node type for DGX-2");
  CHECK(obstacle("V100-32GB|8|8|||").find("no rule for GPU 'V100-32GB'") == 0);
  CHECK(obstacle("NVIDIA A100-PCIe-80GB|8|8|||") != "");
  CHECK(obstacle("A800-SXM4-80GB|8|8|||") != "");
  CHECK(obstacle("TPU|8|8|||") != "");
  CHECK(obstacle("A1000|8|8|||") != "");
  CHECK(obstacle("|8|8|||") == "GPU not stated");
  CHECK(obstacle("H100-96GB HBM2e 500W|8|8|NVLink|400Gb/s per GPU RDMA|") != "");
  CHECK(obstacle("A100-80GB|12|8|NVSwitch||").find("do not fill nodes") != std::string::npos);
  CHECK(obstacle("A100-80GB|16|8|NVSwitch|25 Gbit/s RoCE|").find("no rule for the network") == 0);
}

TEST_CASE(
    "NICs of a row that spans nodes follow its text, or the node type where it says nothing") {
  const Hardware stated = hardware("V100-SXM2|16|8|NVLink2|4x100Gb IB per node|DGX-1");
  CHECK(stated.nodes == 2);
  CHECK(stated.nics == 4);
  CHECK(stated.gigabits == 100);
  CHECK(build_topology(stated)->nics_per_node() == 4);
  const Hardware silent = hardware("A100-80GB|256|8|NVSwitch||DGX-A100");
  CHECK(silent.nodes == 32);
  CHECK(silent.nics == 0);
  CHECK(build_topology(silent)->nics_per_node() == 8);
  CHECK(hardware("A100-SXM4-40GB|16|8||IB 200Gb/s|").gigabits == 200);
}

TEST_CASE("a part of a node is built as a part of a node") {
  const auto topology = build_topology(hardware("V100-SXM2|2|8|NVLink2 cube mesh||DGX-1"));
  CHECK(topology->gpu_count() == 2);
  CHECK(topology->node_count() == 1);
}
