#include <benchmark/benchmark.h>

#include "model/collective/run_collectives.h"
#include "model/simulate/experiment.h"
#include "sim/base/data_files.h"

using namespace dsim;

namespace {

// One step of BERT-large on 512 H100, alone and with everything the report says.
void bert_step(benchmark::State& state) {
  Experiment experiment;
  experiment.topology = load_topology(find_data_file("dgx8x64.json", "topologies"));
  RunControl control;
  control.elasticities = control.scaling = state.range(0) != 0;
  for (auto _ : state) benchmark::DoNotOptimize(simulate(experiment, control).step_time_s);
}
BENCHMARK(bert_step)->Arg(0)->Arg(1)->ArgName("full_report")->Unit(benchmark::kMillisecond);

// GPT-3 175B on 1,024 H100: TP 8 x PP 8 x DP 16, 96 micro-batches a replica.
void gpt3_step(benchmark::State& state) {
  Experiment experiment;
  experiment.topology =
      parse_topology(R"({"format": "dsim.topology/1", "node": "dgx-h100", "nodes": 128,
                         "fabric": {"kind": "rail_optimised"}})",
                     "128 nodes");
  Job& job = experiment.jobs.front();
  job.kind = find_model("gpt3-175b");
  job.micro_batch = 1;
  job.training.strategy = Strategy::megatron;
  job.training.accumulate = 96;
  job.training.recompute = Recompute::selective;
  job.training.parallel.tensor = job.training.parallel.pipeline = 8;
  job.training.parallel.sequence = true;
  job.training.megatron.distributed_optimizer = true;
  RunControl control;
  control.elasticities = control.scaling = false;
  for (auto _ : state) benchmark::DoNotOptimize(simulate(experiment, control).step_time_s);
}
BENCHMARK(gpt3_step)->Unit(benchmark::kMillisecond);

// A 64 MiB ring all-reduce over 512 GPUs on two channels, every slice simulated.
void ring_steps(benchmark::State& state) {
  const auto topology = load_topology(find_data_file("dgx8x64.json", "topologies"));
  std::vector<GpuId> gpus;
  for (std::size_t g = 0; g < topology->gpu_count(); ++g) gpus.emplace_back(g);
  const Communicator c =
      make_communicator(*topology, topology->default_routing(), Architecture::hopper, gpus);
  const CollectiveConstants k = built_in_collective_constants(machine_of(*topology));
  const NcclGraphs graphs = find_nccl_graphs(c, {});
  const Schedule schedule = algorithm_by_name("ring").plan({.communicator = &c, .nccl = &graphs});
  CollectiveRun run;
  run.schedule = &schedule;
  run.size = 64_MiB;
  run.limits.channels = 2;
  run.constants = &k;
  std::int64_t messages = 0;
  for (auto _ : state)
    messages += static_cast<std::int64_t>(
        run_collectives(*topology, std::span(&run, 1), Fidelity::steps)[0].messages);
  state.SetItemsProcessed(messages);
}
BENCHMARK(ring_steps)->Unit(benchmark::kMillisecond);

}  // namespace
