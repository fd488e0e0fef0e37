#include <catch2/catch.hpp>
#include <filesystem>

#include "calibrate/validate/collective/machine_rules.h"
#include "calibrate/validate/collective/network_rules.h"
#include "calibrate/validate/collective/pcie_boxes.h"
#include "calibrate/validate/collective/run_rules.h"
#include "calibrate/validate/row_inputs.h"
#include "sim/base/data_files.h"
#include "sim/network/topology.h"

using namespace dsim;

namespace {

StatedRun run_on(std::string gpu, std::int64_t nodes, std::int64_t gpus, std::string intra,
                 std::string inter) {
  StatedRun run;
  run.gpu = std::move(gpu);
  run.nodes = nodes;
  run.gpus_per_node = gpus;
  run.intra_link = std::move(intra);
  run.inter_link = std::move(inter);
  return run;
}

}  // namespace

TEST_CASE("machines are known by what headers say of them", "[collectives]") {
  const auto node = [](const StatedRun& run) { return std::string(machine_of(run).node); };
  CHECK(node(run_on("A100-SXM4-40GB", 1, 8, "NVSwitch (NVLink3)", "")) == "dgx-a100-40");
  CHECK(node(run_on("A100 SXM", 2, 8, "NVSwitch (NVLink3)", "")) == "dgx-a100-80");
  CHECK(node(run_on("V100 (DGX-1)", 2, 8, "NVLink2 hybrid cube mesh", "")) == "dgx1-v100");
  CHECK(node(run_on("NVIDIA H200", 1, 4, "", "")) == "dgx-h200");
  CHECK_THROWS_AS(machine_of(run_on("", 1, 8, "", "")), Unpredictable);
  CHECK_THROWS_AS(machine_of(run_on("Gaudi 3", 1, 8, "", "")), Unpredictable);
  CHECK_THROWS_AS(machine_of(run_on("H100 PCIe + A100 PCIe (one each)", 2, 1, "", "")),
                  Unpredictable);
}

TEST_CASE("networks are known by what headers say of them", "[collectives]") {
  const auto network = [](std::string link, std::string gpu = "H100 SXM") {
    return network_of(run_on(std::move(gpu), 2, 8, "NVSwitch", std::move(link)));
  };
  CHECK(network("8x NDR400 IB (ConnectX-7)").gigabits == 400);
  CHECK(network("8x HDR200 IB (ConnectX-6), SR-IOV VF").kind == "ib");
  CHECK(network("32x 100G EFA (3200 Gb/s)").kind == "efa");
  CHECK(network("IPoIB (TCP sockets over IB)").sockets);
  CHECK(network("TCP sockets over Slingshot (CXI hook off)").sockets);
  CHECK(network("8x 200G GPUDirect-TCPXO").kind == "tcpxo");
  CHECK_FALSE(network("4x 200G GPUDirect-TCPX").sockets);
  CHECK(network("Slingshot 200G CXI (libfabric)", "H100-80GB (HPE Cray, 4 per node)").count == 2);
  CHECK_THROWS_AS(network("carrier pigeons"), Unpredictable);
  CHECK_THROWS_AS(network(""), Unpredictable);
}

TEST_CASE("every machine of the rules is a shipped node type or a box", "[collectives]") {
  for (const MachineRule& rule : machine_rules()) {
    if (!rule.refusal.empty()) continue;
    CAPTURE(rule.gpu, rule.node);
    const auto file = data_directory() / "topologies/nodes" / (std::string(rule.node) + ".json");
    CHECK((pcie_box(rule.node) != nullptr || std::filesystem::exists(file)));
    CHECK_FALSE(rule.source.empty());
  }
}

TEST_CASE("boxes of PCIe cards are machines", "[collectives]") {
  const PcieBox* box = pcie_box("a100-pcie-far-nic");
  REQUIRE(box != nullptr);
  const auto topology = parse_topology(
      R"({"format": "dsim.topology/1", "nodes": 2, "fabric": {"kind": "single_switch"}, "node": )" +
          node_text(*box) + "}",
      "box");
  CHECK(topology->gpu_count() == 2);
  Route route;
  topology->route(GpuId{0}, GpuId{1}, topology->default_routing(), {}, route);
  CHECK(route.crosses_cpu);
  CHECK(route.leaves_node);
}

TEST_CASE("a date gives the release that was half a year old", "[collectives]") {
  CHECK(release_of_date("2023-03-21 (repo commit)") == "2.14.3");
  CHECK(release_of_date("2026-05-18") == "2.28.9");
  CHECK(release_of_date("2019-07-23") == "2.7.8");
  CHECK(release_of_date("2025-05..06") == "2.23.4");
  CHECK(release_of_date("unknown").empty());
}

TEST_CASE("pairs of an env text are taken out of its prose", "[collectives]") {
  bool doubted = false;
  CHECK(env_pairs("NCCL_NET_GDR_LEVEL=SYS, BIOS NPS1", doubted) ==
        std::vector<std::string>{"NCCL_NET_GDR_LEVEL=SYS"});
  CHECK_FALSE(doubted);
  CHECK(env_pairs("NCCL_ALGO=RING appears in the job text", doubted).empty());
  CHECK(doubted);
  CHECK(env_pairs("nothing", doubted).empty());
  CHECK_FALSE(doubted);
}

TEST_CASE("a launch floor is assumed only where the header tells of one process", "[collectives]") {
  StatedRun run = run_on("A100-SXM4-40GB", 1, 8, "NVSwitch (NVLink3)", "");
  CHECK(conditions_of(run, Architecture::ampere, false).launch_floor == 0);
  run.note = "one process drives 8 GPUs (-g 8)";
  const double floor = conditions_of(run, Architecture::ampere, false).launch_floor;
  CHECK(floor > 32e-6);
  CHECK(floor < 36e-6);
}

TEST_CASE("settings of a header and forced columns are NCCL's settings", "[collectives]") {
  StatedRun run = run_on("B300 SXM6", 1, 8, "NVSwitch (NVLink5)", "none (single node)");
  run.nccl_version = "2.29.7";
  run.env = "NCCL_ALGO=Ring, 16 channels (max=min)";
  run.algorithm = "Ring";
  run.protocol = "Simple";
  const NcclSettings nccl = conditions_of(run, Architecture::blackwell, false).nccl;
  CHECK(nccl.version == NcclVersion{2, 29, 7});
  CHECK(nccl.algo == "Ring");
  CHECK(nccl.proto == "Simple");
  CHECK(nccl.min_channels == 16);
  CHECK(nccl.max_channels == 16);
  CHECK(conditions_of(run, Architecture::blackwell, true).nccl.ib_disable == true);
}
