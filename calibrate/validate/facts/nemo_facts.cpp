#include "calibrate/validate/source_facts.h"

namespace dsim {
namespace {

/// NeMo and Megatron-Core recipes of NVIDIA: sequence parallel beside tensor parallel, GEMMs and
/// collectives pipelined, distributed optimizer overlapped with the passes.
void nemo(RowPlan& plan) {
  Job& job = plan.job;
  job.attention = AttentionKernel::cudnn;
  job.fusion = Fusion::jit;
  TrainingOptions& training = job.training;
  if (training.strategy == Strategy::ddp) training.strategy = Strategy::megatron;
  if (!plan.states("sp")) training.parallel.sequence = training.parallel.tensor > 1;
  training.tensor_overlap = training.parallel.tensor > 1;
  training.megatron.distributed_optimizer = true;
  training.megatron.overlap_grad_reduce = true;
  training.megatron.overlap_param_gather = true;
  training.megatron.grad_reduce = Precision::bf16;
  training.fused_gradient_accumulation = true;
  if (training.parallel.expert > 1) training.parallel.expert_tensor = 1;
}

template <int Percent>
void fp8_gain(RowPlan& plan) {
  if (plan.job.precision == Precision::fp8) plan.job.fp8_gain = Percent / 100.0;
}

}  // namespace

std::vector<SourceFact> nemo_facts() {
  constexpr std::string_view recipes =
      "NeMo and Megatron-Bridge recipes: sequence_parallel, tp_comm_overlap, overlap_grad_reduce, "
      "overlap_param_gather, grad_reduce_in_fp32=False, Transformer Engine attention (cuDNN)";
  constexpr std::string_view microbenchmarks =
      "published GEMM microbenchmarks with the quantise kernel in: H100 1.31, H200 and B200 1.5";
  return {
      // Per-tensor scales of the same step (current scaling): Transformer Engine's kernels.
      {.gpu = "b200|gb200|b300|gb300",
       .precision = "fp8-cs|current",
       .set = fp8_gain<150>,
       .says = "fp8 gain 1.5 (scaling kernels included)",
       .inferred = true,
       .citation = microbenchmarks},
      {.gpu = "h100",
       .precision = "fp8-cs|current",
       .set = fp8_gain<131>,
       .says = "fp8 gain 1.31 (scaling kernels included)",
       .inferred = true,
       .citation = microbenchmarks},
      // NVIDIA DGX Cloud recipes.
      {.source = "dgxc-benchmarking",
       .framework = "nemo",
       .set = nemo,
       .says = "sequence parallel, TP and DP overlap, cuDNN attention, no recomputation",
       .citation = recipes},
      {.source = "dgxc-benchmarking",
       .model = "nemotron4-340b",
       .column = "vp",
       .value = "12",
       .citation = "the same recipe in other tags of the source"},
      // NeMo's own tables.
      {.source = "nvidia-nemo-docs",
       .set = nemo,
       .says = "sequence parallel, TP and DP overlap, cuDNN attention, no recomputation",
       .citation = recipes},
      {.source = "nvidia-nemo-docs", .column = "optimizer", .value = "Adam", .citation = recipes},
      {.source = "nvidia-nemo-docs",
       .notes = "lora",
       .excluded = "LoRA: base weights are frozen",
       .citation = "notes"},
      {.source = "nvidia-nemo-docs",
       .strategy = "=fsdp",
       .set = [](RowPlan& plan) { plan.job.training.strategy = Strategy::fsdp2; },
       .says = "Megatron's FSDP as FSDP2",
       .inferred = true,
       .citation = "NeMo 25.04 recipes"},
      // MLPerf.
      {.source = "mlcommons",
       .strategy = "megatron",
       .set =
           [](RowPlan& plan) {
             nemo(plan);
             plan.job.training.tensor_overlap = false;
           },
       .says = "sequence parallel, overlapped distributed optimizer, cuDNN attention",
       .citation = "header: overlap_grad_sync, overlap_param_sync; config_common.sh: SEQ_PARALLEL, "
                   "grad_sync_dtype bf16"},
      {.source = "mlcommons",
       .strategy = "megatron",
       .notes = "tp-comm-overlap-true|tp-comm-overlap-1",
       .set =
           [](RowPlan& plan) {
             plan.job.training.tensor_overlap = plan.job.training.parallel.tensor > 1;
           },
       .says = "TP overlap",
       .citation = "notes: TP_COMM_OVERLAP"},
      {.source = "mlcommons",
       .notes = "cuda-graph-1|cuda-graph-true|layer-cuda-graph-1",
       .set = [](RowPlan& plan) { plan.job.training.cuda_graphs = true; },
       .says = "CUDA graphs",
       .citation = "notes: LAYER_CUDA_GRAPH"},
      // Megatron-Bridge.
      {.source = "megatron-bridge",
       .set = nemo,
       .says = "sequence parallel, TP and DP overlap, cuDNN attention, no recomputation",
       .citation = recipes},
      {.source = "megatron-bridge",
       .gpu = "b200|b300|gb200|gb300",
       .set = [](RowPlan& plan) { plan.job.training.cuda_graphs = true; },
       .says = "CUDA graphs",
       .inferred = true,
       .citation = "Megatron-Bridge perf_recipes of Blackwell systems"},
      {.source = "megatron-bridge",
       .explanation = "recomputation and CUDA graphs are in recipes alone; the same configuration "
                      "drifts by tens of per cent between containers",
       .citation = "header"},
      // SimuMax's runs.
      {.source = "simumax",
       .explanation = "one machine on which everything takes 1.2 of what three other B200 sources say",
       .inferred = true,
       .citation = "B200 rows of NeMo, MLPerf and Megatron-Bridge"},
      {.source = "simumax",
       .set =
           [](RowPlan& plan) {
             nemo(plan);
             TrainingOptions& training = plan.job.training;
             training.tensor_overlap = training.async_tensor_backward = false;
             training.megatron.overlap_grad_reduce = training.megatron.overlap_param_gather = false;
             training.megatron.overlap_p2p = false;
             training.megatron.grad_reduce = Precision::fp32;
             plan.memory_measure = MemoryMeasure::allocated;
             plan.memory_unit = 1024.0 * 1024 * 1024;
           },
       .says = "sequence parallel, cuDNN attention, fp32 gradient accumulation, no overlap",
       .citation = "header: launcher flags; b200_real_repro_guide.md (no overlap)"},
      {.source = "simumax",
       .model = "deepseek-v2|deepseek-v3",
       .set =
           [](RowPlan& plan) {
             if (plan.config) plan.config->experts.first_dense = 0;
           },
       .says = "all four layers have experts",
       .inferred = true,
       .citation = "allocated memory of the same rows: 104 GiB at EP 8 are four layers of experts"},
      // Megatron-Core's H100 table.
      {.framework = "megatron-core-r0-8",
       .set = nemo,
       .says = "TP, DP and PP overlap",
       .citation = "notes: overlaps: DP grad-reduce + param-gather, TP comm overlap, PP"},
      // FlagPerf on Megatron.
      {.source = "flagperf",
       .framework = "megatron-core|megatron-lm|flagscale",
       .set =
           [](RowPlan& plan) {
             TrainingOptions& training = plan.job.training;
             plan.job.attention = AttentionKernel::flash2;
             plan.job.fusion = Fusion::jit;
             training.parallel.sequence = training.parallel.tensor > 1;
             training.megatron.distributed_optimizer = true;
             training.megatron.overlap_grad_reduce = training.megatron.overlap_param_gather = true;
           },
       .says = "FlashAttention-2, jit fusion, sequence parallel, distributed optimizer",
       .inferred = true,
       .citation = "framework column; FlagPerf megatron_core configurations"},
  };
}

}  // namespace dsim
