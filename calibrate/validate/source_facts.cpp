#include "calibrate/validate/source_facts.h"

#include "calibrate/validate/text_pattern.h"

namespace dsim {

const std::vector<SourceFact>& source_facts() {
  static const std::vector<SourceFact> facts{
      // NVIDIA DeepLearningExamples, PyTorch BERT.
      {.source = "deeplearningexamples languagemodeling-bert",
       .framework = "pytorch",
       .flash_attention = false,
       .citation =
           "NVIDIA/DeepLearningExamples PyTorch/LanguageModeling/BERT/modeling.py: attention as "
           "matmul, softmax, dropout, matmul"},
      {.source = "deeplearningexamples languagemodeling-bert",
       .framework = "pytorch",
       .notes = "pre-training",
       .fusion = Fusion::jit,
       .single_bucket = true,
       .gradient_as_bucket_view = true,
       .citation = "same, run_pretraining.py: torch.jit.script(model); DDP with bucket_cap_mb = "
                   "total memory; "
                   "no_sync() while accumulating"},
      {.source = "deeplearningexamples languagemodeling-bert",
       .framework = "pytorch",
       .precision = "fp16|amp",
       .reduce_in_half = true,
       .citation =
           "same, scripts/configs/pretrain_config.sh: allreduce_post_accumulation_fp16=true "
           "(model.half()); run_squad.py: apex amp O2"},
      {.source = "deeplearningexamples languagemodeling-bert",
       .framework = "pytorch",
       .sequence = "=512",
       .ratios_only = "phase 2 skips padding (length bins): tokens per sequence are not stated",
       .citation = "same, README: phase 2 with LDDL sequence bins"},
      {.source = "deeplearningexamples languagemodeling-bert",
       .framework = "pytorch",
       .notes = "fine-tuning",
       .explanation = "fine-tuning: eager (no jit), another head, and gradient clipping that waits "
                      "for the GPU "
                      "each step",
       .citation = "same, run_squad.py: GradientClipper.step reads total_norm.item()"},
      // NVIDIA DeepLearningExamples, PyTorch image classification.
      {.source = "deeplearningexamples classification",
       .framework = "pytorch",
       .precision = "fp16|amp",
       .gpus = "=8",
       .explanation =
           "partly bound by the input pipeline, as the source says (speed-up 6.7-6.9 on 8 GPUs)",
       .citation = "NVIDIA/DeepLearningExamples PyTorch/Classification/ConvNets README"},
      // PyTorch's own DDP benchmark.
      {.source = "benchmarks-distributed-ddp",
       .broadcast_buffers = false,
       .citation = "pytorch/pytorch benchmarks/distributed/ddp/benchmark.py: "
                   "broadcast_buffers=False, inputs on "
                   "the device, torch.cuda.synchronize() each iteration"},
      // FlagPerf classic models.
      {.source = "flagperf",
       .model = "resnet-50",
       .explanation =
           "NCHW whatever the precision, and the host waits for loss and accuracy each step",
       .citation = "FlagOpen/FlagPerf training/benchmarks/resnet50/pytorch/train/trainer.py: no "
                   "channels_last; "
                   "all_reduce and tolist() of loss and accuracies"},
  };
  return facts;
}

std::vector<const SourceFact*> facts_of(const RowInputs& row) {
  std::vector<const SourceFact*> result;
  for (const SourceFact& fact : source_facts())
    if (matches(row.remark("source"), fact.source) && matches(row.text("model"), fact.model) &&
        matches(row.text("framework"), fact.framework) &&
        matches(row.text("precision"), fact.precision) && matches(row.text("gpus"), fact.gpus) &&
        matches(row.text("seq_len"), fact.sequence) && matches(row.text("notes"), fact.notes) &&
        matches(row.text("optimizer"), fact.optimizer))
      result.push_back(&fact);
  return result;
}

}  // namespace dsim
