#include "tests/support/sample_report.h"

namespace dsim::support {

Report sample_report() {
  Report r;
  r.model_title = "BERT-large";
  r.model_name = "bert-large";
  r.topology = "64 x DGX H100 (8 x NVLink4, 8 x 400 Gb/s), rail-optimised fat tree";
  r.precision = "bf16";
  r.optimizer = "LAMB";
  r.fidelity = "fluid";
  r.gpu_title = "H100 SXM 80 GB";
  r.sample_unit = "sequences";
  r.parameters = 335'000'000;
  r.micro_batch = 32;
  r.sequence = 512;
  r.gpus = 512;
  r.nodes = 64;
  r.collective = "ring, 16 channels";
  r.step_time_s = 0.200;
  r.step_time_low_s = 0.180;
  r.step_time_high_s = 0.225;
  r.parts = {0.050, 0.110, 0.014, 0.012, 0, 0.010, 0, 0.004};
  r.communication_s = 0.160;
  r.throughput = 81'920;
  r.tokens_per_s = 41'943'040;
  r.mfu = 0.412;
  r.mfu_formula = "model FLOP / (step time x 512 x 989 TFLOP/s)";
  r.scaling_efficiency = 0.941;
  r.scaling_efficiency_node = 0.97;
  r.memory.parameters = 2.0 * 1024 * 1024 * 1024;
  r.memory.optimizer = 4.0 * 1024 * 1024 * 1024;
  r.memory.activations = 32.0 * 1024 * 1024 * 1024;
  r.memory.capacity = 80.0 * 1024 * 1024 * 1024;
  for (int i = 0; i < 27; ++i)
    r.buckets.push_back(
        {12'500'000, 50e6, 0.060 + 0.004 * i, 0.060 + 0.004 * i, 0.065 + 0.004 * i});
  r.gradient_bytes = 1.35e9;
  r.bottleneck = {"NIC uplink", 0.55, 0.71};
  r.loads = {r.bottleneck, {"SMs", 0.9, 0.95}};
  r.bottleneck_sentence = "NIC uplink, 71 % busy during backward; last bucket waits 12 ms";
  r.elasticities = {{"kappa", "kappa +5 %", 0.208, 0.04, true},
                    {"first bucket", "first bucket 4 MiB", 0.1938, -0.031, false},
                    {"nic bandwidth", "NIC 800 Gb/s", 0.1948, -0.026, false},
                    {"oversubscription", "half the spines", 0.22, 0.1, false}};
  r.inputs = {{"GEMM floor", {4e-6, 0.1, Level::fitted, "a table", ""}},
              {"NIC latency", {2e-6, 0.5, Level::assumed, "a guess", ""}},
              {"H100 peak", {989e12, 0, Level::published, "data sheet", ""}}};
  return r;
}

}  // namespace dsim::support
