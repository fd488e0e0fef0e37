// What theory says of direction and size when one thing of a job changes.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "model/simulate/experiment.h"
#include "sim/base/data_files.h"

using namespace dsim;

namespace {

Report run(const Experiment& experiment) {
  RunControl quick;
  quick.elasticities = false;
  quick.scaling = false;
  return simulate(experiment, quick);
}

// `nodes` DGX H100 with NICs of the given rate and number, one switch: nothing but the NICs limits.
std::shared_ptr<const Topology> cluster(int nodes, const std::string& nic, int nics = 8) {
  return parse_topology(fmt::format(R"({{"format": "dsim.topology/1", "node": "dgx-h100", "nodes": {},
      "nics": {{"bandwidth": "{}", "count": {}}}, "fabric": {{"kind": "single_switch"}}}})",
                                    nodes, nic, nics),
                        "cluster.json");
}

Experiment bert(std::shared_ptr<const Topology> topology, std::int64_t micro_batch = 4) {
  Experiment e;
  e.topology = std::move(topology);
  e.jobs[0].model = "bert-large";
  e.jobs[0].micro_batch = micro_batch;
  return e;
}

}  // namespace

TEST_CASE("the eight parts sum to the step, whatever limits it") {
  for (const char* nic : {"400 Gb/s", "10 Gb/s"})
    for (const std::int64_t micro_batch : {1, 8}) {
      Experiment e = bert(cluster(2, nic), micro_batch);
      e.stragglers = {{3, 1.3}};
      const Report r = run(e);
      CAPTURE(nic, micro_batch);
      CHECK(r.parts.sum() == Approx(r.step_time_s).epsilon(1e-9));
    }
}

TEST_CASE("slower NICs cost what their bytes take: a tenth of the rate, ten times the transfer") {
  // Far below the compute time the step is bound by the wire. On 4 nodes a tree puts every gradient
  // byte on a rail twice, a ring 2(n-1)/n times: about 2 x 1.34 GB over 8 NICs.
  const Report fast = run(bert(cluster(4, "10 Gb/s"))), slow = run(bert(cluster(4, "1 Gb/s")));
  const double wire = 2 * fast.gradient_bytes / (8 * 1.25e9 * .97);
  CHECK(fast.communication_s == Approx(wire).epsilon(.15));
  CHECK(slow.communication_s == Approx(10 * wire).epsilon(.15));
  CHECK(slow.step_time_s > 8 * fast.step_time_s);
  CHECK(fast.parts.exposed_communication_s > .5 * fast.step_time_s);
}

TEST_CASE("half the NICs or NICs of half the rate double the transfer") {
  // With one algorithm: NCCL itself may choose another one on fewer NICs.
  const auto ring = [](Experiment e) {
    e.algorithm = "ring";
    return run(e);
  };
  const Report full = ring(bert(cluster(2, "20 Gb/s")));
  const Report fewer = ring(bert(cluster(2, "20 Gb/s", 4)));
  const Report slower = ring(bert(cluster(2, "10 Gb/s")));
  CHECK(fewer.communication_s == Approx(2 * full.communication_s).epsilon(.1));
  CHECK(slower.communication_s == Approx(2 * full.communication_s).epsilon(.1));
  CHECK(fewer.step_time_s > full.step_time_s);
  CHECK(slower.step_time_s > full.step_time_s);
}

TEST_CASE("a larger model takes longer, in proportion to its FLOPs where compute rules") {
  Experiment base = bert(cluster(1, "400 Gb/s"), 32);
  base.jobs[0].model = "bert-base";
  const Report small = run(base);
  base.jobs[0].model = "bert-large";
  const Report large = run(base);
  // 335 / 96.6 GFLOP forward of encoder work per sequence at 512, about 3.3 with the head.
  const double ratio = large.step_time_s / small.step_time_s;
  CHECK(ratio > 2.2);
  CHECK(ratio < 4);
}

TEST_CASE("a micro-batch twice as large takes almost twice as long") {
  const Report one = run(bert(cluster(1, "400 Gb/s"), 32)), two = run(bert(cluster(1, "400 Gb/s"), 64));
  const double ratio = (two.parts.forward_s + two.parts.backward_s) / (one.parts.forward_s + one.parts.backward_s);
  CHECK(ratio > 1.8);
  CHECK(ratio < 2.05);
}

TEST_CASE("one straggler slows every rank by its own slowdown, and the others wait for it") {
  Experiment e = bert(cluster(2, "400 Gb/s"), 32);
  const Report healthy = run(e);
  e.stragglers = {{5, 1.2}};
  const Report slow = run(e);
  CHECK(slow.rank_classes == 2);
  const double compute = healthy.parts.forward_s + healthy.parts.backward_s + healthy.parts.optimizer_s;
  CHECK(slow.step_time_s - healthy.step_time_s == Approx(.2 * compute).epsilon(.1));
  // The same slowdown of a faster rank is nothing: a rank sped up is not waited for.
  e.stragglers = {{5, .5}};
  CHECK(run(e).step_time_s == Approx(healthy.step_time_s).epsilon(.02));
}

TEST_CASE("tiny buckets pay their latency once each") {
  Experiment e = bert(cluster(4, "400 Gb/s"), 1);
  const Report usual = run(e);
  e.jobs[0].training.ddp.bucket_cap = 1_MiB;
  const Report tiny = run(e);
  CHECK(tiny.buckets.size() > 3 * usual.buckets.size());
  CHECK(tiny.communication_s > usual.communication_s);
  CHECK(tiny.step_time_s > usual.step_time_s);
  // One bucket for everything overlaps nothing: all of its communication is exposed.
  e.jobs[0].training.ddp.bucket_cap = 4_GiB;
  e.jobs[0].training.ddp.first_bucket = 4_GiB;
  const Report single = run(e);
  REQUIRE(single.buckets.size() == 1);
  CHECK(single.parts.exposed_communication_s > .9 * single.communication_s);
}

TEST_CASE("accumulation spreads one all-reduce over many micro-batches") {
  Experiment e = bert(cluster(2, "10 Gb/s"));
  const Report one = run(e);
  e.jobs[0].training.accumulate = 16;
  const Report many = run(e);
  CHECK(many.communication_s == Approx(one.communication_s).epsilon(.02));
  CHECK(many.throughput > 2 * one.throughput);
}

TEST_CASE("fp16 compression halves what goes over the wire") {
  Experiment e = bert(cluster(2, "10 Gb/s"));
  e.algorithm = "ring";  // NCCL itself may choose another one for smaller buckets
  const Report full = run(e);
  e.jobs[0].training.ddp.compression = Compression::fp16;
  const Report half = run(e);
  CHECK(half.communication_s == Approx(full.communication_s / 2).epsilon(.1));
  // What the step waits for is the network, although a cast follows each collective.
  CHECK(half.parts.exposed_communication_s > .5 * half.step_time_s);
  CHECK(half.parts.launch_s < .05 * half.step_time_s);
}

TEST_CASE("one GPU has neither buckets nor communication") {
  const Report r = run(bert(first_gpus(cluster(1, "400 Gb/s"), 1)));
  CHECK(r.buckets.empty());
  CHECK(r.communication_s == 0);
  CHECK(r.parts.exposed_communication_s == 0);
}

TEST_CASE("the same experiment gives the same numbers to the last bit") {
  const Experiment e = bert(cluster(2, "100 Gb/s"));
  const Report a = run(e), b = run(e);
  CHECK(a.step_time_s == b.step_time_s);
  CHECK(a.parts.exposed_communication_s == b.parts.exposed_communication_s);
}

TEST_CASE("steps, fluid and closed agree on a whole training step where nothing contends") {
  Experiment e = bert(cluster(2, "100 Gb/s"), 8);
  e.algorithm = "ring";
  const Report fluid = run(e);
  e.fidelity = Fidelity::closed;
  CHECK(run(e).step_time_s == Approx(fluid.step_time_s).epsilon(.05));
  e.fidelity = Fidelity::steps;
  CHECK(run(e).step_time_s == Approx(fluid.step_time_s).epsilon(.05));
}
