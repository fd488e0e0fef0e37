#include "calibrate/validate/source_facts.h"

#include "calibrate/validate/text_pattern.h"

namespace dsim {

const std::vector<SourceFact>& source_facts() {
  static const std::vector<SourceFact> facts{
      // NVIDIA DeepLearningExamples, PyTorch BERT.
      {.source = "deeplearningexamples languagemodeling-bert",
       .framework = "pytorch",
       .fusion = Fusion::jit,
       .flash_attention = false,
       .single_bucket = true,
       .gradient_as_bucket_view = true,
       .citation =
           "NVIDIA/DeepLearningExamples PyTorch/LanguageModeling/BERT/run_pretraining.py: "
           "torch.jit.script(model); bucket_cap_mb = total memory; no_sync() while accumulating"},
      {.source = "deeplearningexamples languagemodeling-bert",
       .framework = "pytorch",
       .precision = "fp16|amp",
       .optimizer = "lamb",
       .reduce_in_half = true,
       .citation = "same, scripts/configs/pretrain_config.sh: "
                   "allreduce_post_accumulation_fp16=true (model.half())"},
      {.source = "deeplearningexamples languagemodeling-bert",
       .framework = "pytorch",
       .sequence = "=512",
       .ratios_only = "phase 2 skips padding (length bins): tokens per sequence are not stated",
       .citation = "same, README: phase 2 with LDDL sequence bins"},
      {.source = "deeplearningexamples languagemodeling-bert",
       .framework = "pytorch",
       .notes = "fine-tuning",
       .explanation =
           "SQuAD fine-tuning (run_squad.py): real sequences, answers' loss and a loop with "
           "synchronising logging, none of it in the columns",
       .citation = "same, run_squad.py"},
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
       .explanation = "PyTorch 1.4 with cuDNN 7: fp32 NCHW convolutions",
       .citation = "pytorch/pytorch benchmarks/distributed/ddp/benchmark.py: "
                   "broadcast_buffers=False, inputs on "
                   "the device, torch.cuda.synchronize() each iteration"},
      {.source = "benchmarks-distributed-ddp",
       .model = "resnext-50|resnext-101",
       .explanation =
           "grouped fp32 convolutions of cuDNN 7 (PyTorch 1.4) are far from either roofline",
       .citation = "same"},
      // FlagPerf classic models.
      {.source = "flagperf",
       .model = "bert",
       .explanation = "update interval unclear at the source (batch 24 with 4 accumulation steps)",
       .citation = "FlagOpen/FlagPerf training/nvidia config"},
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
