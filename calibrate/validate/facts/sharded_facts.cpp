#include "calibrate/validate/source_facts.h"

namespace dsim {
namespace {

constexpr double gibi = 1024.0 * 1024 * 1024;

void flash2(RowPlan& plan) { plan.job.attention = AttentionKernel::flash2; }

void half_reduce(RowPlan& plan) { plan.job.training.fsdp.reduce = Precision::bf16; }

template <int Percent>
void fp8_gain(RowPlan& plan) {
  if (plan.job.precision == Precision::fp8) plan.job.fp8_gain = Percent / 100.0;
}

}  // namespace

std::vector<SourceFact> sharded_facts() {
  constexpr std::string_view foundry = "mosaicml/llm-foundry scripts/train/benchmarking (sweep.sh)";
  constexpr std::string_view microbenchmarks =
      "published GEMM microbenchmarks with the quantise kernel in: H100 1.31, H200 1.5";
  return {
      // llm-foundry.
      {.source = "llm-foundry",
       .set =
           [](RowPlan& plan) {
             plan.job.attention = AttentionKernel::flash1;
             plan.job.fusion = Fusion::eager;
             plan.job.optimizer_bytes = 70;
           },
       .says = "FlashAttention-1; eager AdamW, 70 B a parameter",
       .inferred = true,
       .citation = "its rows of 16k tokens and more; Composer's DecoupledAdamW is a loop of eager "
                   "kernels"},
      {.source = "llm-foundry", .notes = "mp-mode-pure", .set = half_reduce,
       .says = "gradients reduced in bf16", .citation = foundry},
      {.source = "llm-foundry",
       .id = "llmf-080|llmf-150|llmf-021",
       .explanation = "the largest model that fits: allocator retries suspected",
       .inferred = true,
       .citation = "findings on the same rows"},
      // torchtitan.
      {.source = "torchtitan",
       .set =
           [](RowPlan& plan) {
             plan.job.attention = AttentionKernel::flash2;
             plan.job.training.context_exchange = ContextExchange::gather;
             plan.memory_measure = MemoryMeasure::reserved;
             plan.memory_unit = gibi;
           },
       .says = "FlashAttention-2 (SDPA); context parallel gathers keys and values; memory is what "
               "the allocator reserves, GiB",
       .citation = "pytorch/torchtitan docs/performance.md, metrics.py (max_reserved GiB), "
                   "context_parallel_rotate_method allgather"},
      {.source = "torchtitan",
       .recompute = "selective !layer",
       .set =
           [](RowPlan& plan) {
             plan.job.training.recompute = Recompute::every_nth;
             plan.job.training.recompute_every = 2;
           },
       .says = "selective by operation: about .55 of the forward pass runs again, as with every "
               "second layer",
       .inferred = true,
       .citation = "torchtitan parallelize_llama.py: every second matmul is saved"},
      {.source = "torchtitan",
       .notes = "asynctp",
       .set = [](RowPlan& plan) { plan.job.training.tensor_overlap = true; },
       .says = "TP overlap",
       .citation = "notes: asyncTP"},
      {.source = "torchtitan", .gpu = "h100", .precision = "fp8 tensorwise|linear",
       .set = fp8_gain<131>, .says = "dynamic tensorwise fp8: gain 1.31", .inferred = true,
       .citation = microbenchmarks},
      {.source = "torchtitan", .gpu = "h200", .precision = "fp8 tensorwise|linear",
       .set = fp8_gain<150>, .says = "dynamic tensorwise fp8: gain 1.5", .inferred = true,
       .citation = microbenchmarks},
      // nanotron.
      {.framework = "nanotron",
       .set =
           [](RowPlan& plan) {
             plan.job.attention = AttentionKernel::flash2;
             plan.job.training.parallel.sequence = plan.job.training.parallel.tensor > 1;
             plan.job.training.megatron.distributed_optimizer = false;
             plan.memory_measure = MemoryMeasure::allocated;
             plan.memory_unit = gibi;
           },
       .says = "FlashAttention-2, sequence parallel (tp_mode REDUCE_SCATTER), fp32 gradients, "
               "memory is what tensors take, GiB",
       .inferred = true,
       .citation = "huggingface/nanotron config defaults"},
      {.framework = "nanotron-2024",
       .gpus = "=16|=64",
       .excluded = "flagged as disturbed by the network",
       .citation = "header: 16/64-GPU rows partly disturbed"},
      {.framework = "nanotron-2024",
       .notes = "anomalous|noisy|suspect",
       .excluded = "flagged as disturbed",
       .citation = "notes"},
      // fms-fsdp, AutoModel, KempnerForge.
      {.source = "fms-fsdp", .set = flash2, .says = "FlashAttention-2 (SDPA)",
       .citation = "README of foundation-model-stack/fms-fsdp"},
      {.source = "fms-fsdp", .column = "optimizer", .value = "AdamW", .citation = "same"},
      {.source = "nemo-automodel",
       .set =
           [](RowPlan& plan) {
             plan.job.attention = AttentionKernel::cudnn;
             plan.job.fusion = Fusion::jit;
           },
       .says = "Transformer Engine",
       .citation = "notes"},
      {.source = "kempnerforge", .set = flash2, .says = "FlashAttention-2 (SDPA)",
       .inferred = true, .citation = "KempnerForge requires PyTorch SDPA"},
      {.source = "kempnerforge",
       .model = "moe",
       .explanation = "bound by launches (MFU about 1 %): its experts run in a loop of the host; table "
                      "and log disagree by up to two",
       .citation = "notes and header"},
      {.framework = "nanotron-2024",
       .explanation = "recomputation and dimensions are not stated; pipelined rows are slower than "
                      "their kernels",
       .citation = "header"},
      {.source = "stas00",
       .set =
           [](RowPlan& plan) {
             plan.job.fusion = Fusion::jit;
             plan.memory_measure = MemoryMeasure::reserved;
             plan.memory_unit = gibi;
           },
       .says = "Liger's fused kernels; memory is what the allocator reserves, GiB",
       .citation = "header and notes"},
      // PaddlePaddle of FlagPerf.
      {.source = "flagperf",
       .framework = "paddlepaddle",
       .set =
           [](RowPlan& plan) {
             plan.job.attention = AttentionKernel::flash2;
             plan.memory_unit = gibi;
           },
       .says = "flash attention",
       .citation = "framework column"},
      {.source = "flagperf",
       .explanation = "one run each; host time and data loading of the framework are not stated",
       .citation = "header"},
  };
}

}  // namespace dsim
