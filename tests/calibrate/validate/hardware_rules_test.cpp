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
    INFO(rule.gpu << " " << rule.node);
    CHECK(rule.node.empty() == !rule.refusal.empty());
    if (rule.node.empty()) continue;
    CHECK(!rule.source.empty());
    Hardware two{.node = rule.node, .gpu_name = rule.gpu_name, .gpus = 2 * rule.gpus, .nodes = 2};
    two.gpus_per_node = two.node_gpus = rule.gpus;
    const auto topology = build_topology(two);
    CHECK(topology->gpu_count() == static_cast<std::size_t>(2 * rule.gpus));
    CHECK(topology->gpus_per_node() == static_cast<std::uint32_t>(rule.gpus));
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
  CHECK(hardware("V100-32GB|16|16|NVSwitch NVLink2 300GB/s||DGX-2").node == "dgx2");
  CHECK(hardware("V100-32GB (DGX-2)|8||||").node == "dgx2");
  CHECK(hardware("A800-SXM4-80GB|8|8|||").node == "hgx-a800");
  CHECK(hardware("A100/A800-SXM4-80GB|8|8|||").node == "dgx-a100-80");
  CHECK(hardware("H200-141GB|8|4|||").node == "hgx-h200-4");
  CHECK(hardware("NVIDIA Blackwell Ultra GPU (GB300)|64|4|||").gpu_name == "gb300");
  CHECK(hardware("H100-96GB HBM2e 500W|8|8|NVLink|400Gb/s per GPU RDMA|").gpu_name == "h100-sxm-96");
  CHECK(hardware("P100|8|8|NVLink1 cube mesh||DGX-1").node == "dgx1-p100");
  CHECK(hardware("AMD Instinct MI325X 256GB HBM3E|8|8|XGMI||").gpu_name == "mi325x");
}

TEST_CASE("machines without a rule are not guessed") {
  CHECK(obstacle("V100-32GB|8|8|||").find("no rule for GPU 'V100-32GB'") == 0);
  CHECK(obstacle("NVIDIA A100-PCIe-80GB|8|8|||") != "");
  CHECK(obstacle("TPU|8|8|||").find("no GPU of the table") != std::string::npos);
  CHECK(obstacle("Habana Gaudi2|8|8|||") != "");
  CHECK(obstacle("A1000|8|8|||") != "");
  CHECK(obstacle("|8|8|||") == "GPU not stated");
  CHECK(obstacle("A100-80GB|12|8|NVSwitch||").find("do not fill nodes") != std::string::npos);
}

TEST_CASE("a job on racks of 72 GPUs takes 64 of each where its degrees are powers of two") {
  const Hardware racks = hardware("GB200|256|4|||");
  CHECK(racks.nodes == 4);
  CHECK(racks.gpus_per_node == 64);
  const auto ranks = ranks_of(racks);
  REQUIRE(ranks.size() == 256);
  CHECK(ranks[63] == 63);
  CHECK(ranks[64] == 72);
  CHECK(build_topology(racks)->gpu_count() == 288);
  const Hardware part = hardware("GB200|8|4|||");
  CHECK(part.nodes == 1);
  CHECK(ranks_of(part).empty());
  CHECK(build_topology(part)->gpu_count() == 8);
}

TEST_CASE("a network nobody described is that of the node type, and said") {
  const Hardware odd = hardware("A100-80GB|16|8|NVSwitch|carrier pigeons|");
  CHECK(odd.nics == 0);
  CHECK(odd.assumption.find("carrier pigeons") != std::string::npos);
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
