#include "calibrate/validate/source_facts.h"

namespace dsim {
namespace {

/// Megatron-LM and Megatron-DeepSpeed to 2022: unfused attention, hand-fused elementwise kernels,
/// gradients reduced once after backward.
void early_megatron(RowPlan& plan) {
  Job& job = plan.job;
  job.attention = AttentionKernel::unfused;
  job.fusion = Fusion::jit;
  job.training.strategy = Strategy::megatron;
  job.training.async_tensor_backward = false;
  job.training.megatron.overlap_grad_reduce = false;
  job.training.megatron.overlap_param_gather = false;
  job.training.megatron.grad_reduce = Precision::fp16;
}

/// Megatron-DeepSpeed on hosts of A100 machines.
void deepspeed_host(RowPlan& plan) {
  plan.layer_forward_seconds = .95e-3;
  plan.layer_backward_seconds = 1.2e-3;
}

}  // namespace

std::vector<SourceFact> megatron_facts() {
  constexpr std::string_view launch_source =
      "vTrain's single-node rows: .95 ms forward and 1.2 ms backward a layer where the host is the "
      "limit";
  constexpr std::string_view arguments = "Megatron-LM arguments.py and model/transformer.py";
  return {
      // vTrain: its tables have no columns for these.
      {.source = "vtrain", .column = "model", .value = "GPT", .citation = "header"},
      {.source = "vtrain", .column = "vocab", .value = "50257", .citation = "header: vocab 50257"},
      {.source = "vtrain",
       .column = "gpu",
       .value = "A100-80GB",
       .inferred = true,
       .citation = "header: A100; memory not stated"},
      {.source = "vtrain", .column = "gpus_per_node", .value = "8", .citation = "header"},
      {.source = "vtrain",
       .column = "inter_link",
       .value = "800 Gb/s a node",
       .citation = "header: 800 Gb/s a node"},
      {.source = "vtrain", .column = "precision", .value = "FP16", .citation = "header"},
      {.source = "vtrain", .column = "activation_recompute", .value = "full", .citation = "header"},
      {.source = "vtrain", .column = "optimizer", .value = "Adam", .citation = "Megatron-DeepSpeed"},
      {.source = "vtrain",
       .column = "framework",
       .value = "Megatron-DeepSpeed",
       .citation = "header"},
      {.source = "vtrain", .column = "strategy", .value = "3D Megatron", .citation = "header"},
      {.source = "vtrain",
       .set =
           [](RowPlan& plan) {
             early_megatron(plan);
             deepspeed_host(plan);
             plan.job.optimizer_bytes = 47.5;
           },
       .says = "unfused attention, fused softmax, no overlap, gradients in fp16 after backward; "
               ".95/1.2 ms of host time a layer; 45-50 B a parameter in the optimizer step",
       .inferred = true,
       .citation = launch_source},
      // BigScience.
      {.source = "tr11-176b-ml",
       .column = "heads",
       .value = "64",
       .citation = "chronicles-prequel.md: all NHEADS=64 (above too)"},
      {.source = "tr11-176b-ml",
       .set =
           [](RowPlan& plan) {
             early_megatron(plan);
             deepspeed_host(plan);
             plan.memory_measure = MemoryMeasure::device;
             plan.memory_unit = 1024.0 * 1024 * 1024;
             if (!plan.config) return;
             plan.config->position = PositionScheme::alibi;
             plan.config->embedding_norm = true;
             plan.config->tied = true;
           },
       .says = "unfused attention, ALiBi, tied embeddings, no overlap",
       .citation = "bigscience train/tr11-176B-ml: Megatron-DeepSpeed fork, ALiBi, embed-layernorm"},
      {.source = "tr11-176b-ml",
       .precision = "bf16",
       .set = [](RowPlan& plan) { plan.job.training.megatron.grad_reduce = Precision::bf16; },
       .says = "gradients in bf16",
       .citation = "same, bf16 runs"},
      {.source = "tr11-176b-ml",
       .id = "bs-043|bs-044|bs-045",
       .excluded = "the printed batch of 2048 contradicts the time; one replica's 512 would agree",
       .inferred = true,
       .citation = "step times of the same table"},
      {.source = "tr11-176b-ml",
       .id = "bs-066",
       .excluded = "flagged as an outlier by the source",
       .citation = "chronicles-prequel.md"},
      {.source = "tr11-176b-ml",
       .explanation = "TP slope: the 4 NVLinks of the header may mean 4 of 12 links between GPUs",
       .inferred = true,
       .citation = "header: NVLink 4 inter-GPU"},
      // Megatron-LM 2020 and 2021.
      {.framework = "megatron-lm-2020|megatron-lm-2021|megatron-lm-readme",
       .set = early_megatron,
       .says = "unfused attention, jit fusion, no overlap, gradients in fp16 after backward",
       .citation = arguments},
      {.source = "images-tables-tex",
       .id = "meg2020-a100-dp128-8b",
       .excluded = "37 ms for an all-reduce of 2.1 GB at 25 GB/s a GPU, which needs 168 ms",
       .inferred = true,
       .citation = "the pairs of rows of the same table"},
      // The January table lists the same runs as April's without micro-batches.
      {.model = "1-7b|3-6b|7-5b",
       .framework = "megatron-lm-2021-01",
       .column = "micro_batch",
       .value = "16",
       .inferred = true,
       .citation = "the April table's"},
      {.model = "18b",
       .framework = "megatron-lm-2021-01",
       .column = "micro_batch",
       .value = "8",
       .inferred = true,
       .citation = "the April table's"},
      {.model = "39b",
       .framework = "megatron-lm-2021-01",
       .column = "micro_batch",
       .value = "4",
       .inferred = true,
       .citation = "the April table's"},
      {.model = "76b|145b",
       .framework = "megatron-lm-2021-01",
       .column = "micro_batch",
       .value = "2",
       .inferred = true,
       .citation = "the April table's"},
      {.model = "291b|530b|1t",
       .framework = "megatron-lm-2021-01",
       .column = "micro_batch",
       .value = "1",
       .inferred = true,
       .citation = "the April table's"},
      {.framework = "megatron-lm-readme",
       .column = "micro_batch",
       .value = "1",
       .citation = "notes: micro-batch 1 in the example script"},
      // April ran interleaved; the chunks a stage are not printed. At most three, as the later paper
      // of the same group prints for 175B and 530B, where the layers divide.
      {.framework = "megatron-lm-2021-04",
       .set =
           [](RowPlan& plan) {
             Parallelism& parallel = plan.job.training.parallel;
             if (parallel.pipeline == 1 || !plan.config) return;
             for (const std::uint32_t chunks : {3u, 2u})
               if (plan.config->layers % (std::int64_t{parallel.pipeline} * chunks) == 0) {
                 parallel.chunks = chunks;
                 plan.job.training.schedule = PipelineKind::interleaved;
                 return;
               }
           },
       .says = "interleaved with at most 3 chunks a stage",
       .inferred = true,
       .citation = "arXiv:2104.04473 (interleaved), arXiv:2205.05198 Table 3 (v = 3)"},
      // Korthikanti et al. 2022.
      {.framework = "megatron-lm-2022",
       .set =
           [](RowPlan& plan) {
             early_megatron(plan);
             plan.job.training.async_tensor_backward = true;
             plan.job.training.fused_gradient_accumulation = true;
           },
       .says = "unfused attention, jit fusion, backward all-reduce beside the weight gradient",
       .citation = arguments},
  };
}

}  // namespace dsim
