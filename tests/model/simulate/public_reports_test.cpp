// What people reported of their jobs, where the thread states enough to run it.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "model/simulate/experiment.h"
#include "sim/base/data_files.h"
#include "sim/network/topology.h"

using namespace dsim;

namespace {

RunControl plain() {
  RunControl control;
  control.elasticities = false;
  return control;
}

/// Two hosts of four GPUs without peer-to-peer, joined by one Ethernet port each.
std::shared_ptr<const Topology> two_hosts(const char* rate) {
  return parse_topology(
      fmt::format(
          R"({{"format": "dsim.topology/1", "nodes": 2, "fabric": {{"kind": "single_switch"}},
        "node": {{"format": "dsim.node/1", "title": "4 GPUs", "gpu": "rtx-2080-ti", "cpu": "intel",
          "p2p": "off", "gpudirect": false, "vertices": {{"gpu": 4, "cpu": 1, "nic": 1}},
          "nic": {{"kind": "tcp", "bandwidth": "{}"}},
          "links": [{{"kind": "pcie", "bandwidth": "15.75 GB/s",
            "between": [["gpu0", "cpu0"], ["gpu1", "cpu0"], ["gpu2", "cpu0"], ["gpu3", "cpu0"],
                        ["nic0", "cpu0"]]}}]}}}})",
          rate),
      "two hosts");
}

Report resnet(std::shared_ptr<const Topology> topology, Framework framework,
              std::int64_t micro_batch) {
  Experiment experiment;
  experiment.topology = std::move(topology);
  Job& job = experiment.jobs.front();
  job.model = "resnet-50";
  job.micro_batch = micro_batch;
  job.precision = Precision::fp32;
  job.precision_given = true;
  job.training.framework = framework;
  return simulate(experiment, plain());
}

}  // namespace

// horovod issues 693 and 752: 102 MB of gradients over 1 Gb/s take .87 s on the wire, so that a
// second host makes 4 GPUs slower than they were alone.
TEST_CASE("over 1 Gb/s a second host is a loss, over 100 Gb/s a gain") {
  const Report slow = resnet(two_hosts("1 Gb/s"), Framework::horovod, 64);
  CHECK(slow.communication_s > .8);
  CHECK(slow.communication_s < 1.2);
  REQUIRE(slow.scaling_efficiency_node);
  CHECK(*slow.scaling_efficiency_node < .5);
  const Report fast = resnet(two_hosts("100 Gb/s"), Framework::horovod, 64);
  REQUIRE(fast.scaling_efficiency_node);
  CHECK(*fast.scaling_efficiency_node > .85);
}

// horovod issue 2219: over 10 Gb/s both move 102 MB; neither can be much ahead of the other.
TEST_CASE("over a slow network Horovod and DDP wait for the same bytes") {
  const auto topology = two_hosts("10 Gb/s");
  const double horovod = resnet(topology, Framework::horovod, 32).step_time_s;
  const double ddp = resnet(topology, Framework::pytorch, 32).step_time_s;
  CHECK(horovod / ddp == Approx(1).epsilon(.15));
}

// nanoGPT issue 110: an iteration of five micro-batches took 562 ms, of one 130 ms: it is five
// steps' work, not a slow one.
TEST_CASE("five micro-batches take somewhat less than five steps") {
  Experiment experiment;
  experiment.topology = load_topology(find_data_file("dgx-a100x1.json", "topologies"));
  Job& job = experiment.jobs.front();
  job.model = "gpt2";
  job.micro_batch = 12;
  const double one = simulate(experiment, plain()).step_time_s;
  job.training.accumulate = 5;
  const double five = simulate(experiment, plain()).step_time_s;
  CHECK(five / one > 4.2);
  CHECK(five / one < 5);
}
