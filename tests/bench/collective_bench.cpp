#include <benchmark/benchmark.h>

#include "model/collective/predictor.h"
#include "model/collective/run_collectives.h"
#include "sim/base/data_files.h"

using namespace dsim;

namespace {

// What `dsim collective` does: 30 sizes of every op on 512 GPUs, channel search and plans included.
void predict_thirty_sizes(benchmark::State& state) {
  const auto topology = load_topology(find_data_file("dgx8x64.json", "topologies"));
  const auto op = static_cast<CollectiveOp>(state.range(0));
  state.SetLabel(std::string(name_of(op)));
  for (auto _ : state) {
    CollectiveSetup setup;
    setup.topology = topology;
    CollectivePredictor predictor(setup);
    CollectiveQuery query;
    query.op = op;
    for (int power = 4; power < 34; ++power) {
      query.size = Bytes{std::int64_t{1} << power};
      benchmark::DoNotOptimize(predictor.predict(query).seconds);
    }
  }
}
BENCHMARK(predict_thirty_sizes)->DenseRange(0, 9)->Unit(benchmark::kMillisecond);

double steps(benchmark::State& state, const Topology& topology, std::string_view algorithm,
             CollectiveOp op, Bytes size, std::uint32_t channels) {
  std::vector<GpuId> gpus;
  for (std::size_t g = 0; g < topology.gpu_count(); ++g) gpus.emplace_back(g);
  const Communicator c =
      make_communicator(topology, topology.default_routing(), Architecture::hopper, gpus);
  const CollectiveConstants k = built_in_collective_constants(machine_of(topology));
  const NcclGraphs graphs = find_nccl_graphs(c, {});
  const Schedule schedule = algorithm_by_name(algorithm).plan(
      {.communicator = &c, .op = op, .size = size, .nccl = &graphs});
  CollectiveRun run;
  run.schedule = &schedule;
  run.op = op;
  run.size = size;
  run.limits.channels = channels;
  run.constants = &k;
  run.communicator = &c;
  std::int64_t messages = 0;
  double seconds = 0;
  for (auto _ : state) {
    const CollectiveResult r = run_collectives(topology, std::span(&run, 1), Fidelity::steps)[0];
    messages += static_cast<std::int64_t>(r.messages);
    seconds = r.seconds;
  }
  state.SetItemsProcessed(messages);
  return seconds;
}

// 1 GiB over 1,024 ranks on one channel, every message simulated.
void ring_of_1024(benchmark::State& state) {
  const auto topology = parse_topology(
      R"({"format": "dsim.topology/1", "node": "dgx-h100", "nodes": 128,
          "fabric": {"kind": "rail_optimised"}})",
      "128-nodes.json");
  state.counters["simulated_s"] =
      steps(state, *topology, "ring", CollectiveOp::all_reduce, 1_GiB, 1);
}
BENCHMARK(ring_of_1024)->Unit(benchmark::kMillisecond);

// All-to-all over 512 ranks: 261,632 messages.
void all_to_all_steps(benchmark::State& state) {
  const auto topology = load_topology(find_data_file("dgx8x64.json", "topologies"));
  const char* algorithm = state.range(0) == 0 ? "pairwise" : "direct";
  state.SetLabel(algorithm);
  state.counters["simulated_s"] =
      steps(state, *topology, algorithm, CollectiveOp::all_to_all, 1_GiB, 0);
}
BENCHMARK(all_to_all_steps)->DenseRange(0, 1)->Unit(benchmark::kMillisecond);

}  // namespace
