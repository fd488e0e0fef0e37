#include "calibrate/validate/source_facts.h"

namespace dsim {

std::vector<SourceFact> data_parallel_facts() {
  return {
      // What the words of a row mean whatever its source.
      {.framework = "pytorch-1|torch-1",
       .set = [](RowPlan& plan) { plan.job.attention = AttentionKernel::unfused; },
       .says = "attention is not fused",
       .citation = "fused attention came with PyTorch 2.0"},
      {.framework = "torch-compile",
       .set = [](RowPlan& plan) { plan.job.fusion = Fusion::compile; },
       .says = "torch.compile",
       .citation = "the framework column"},
      {.notes = "compile|torch-compile",
       .set = [](RowPlan& plan) { plan.job.fusion = Fusion::compile; },
       .says = "torch.compile",
       .citation = "the notes column"},
      // NGC containers let fp32 GEMMs run in TF32 where the chip has it.
      {.source = "deeplearningexamples",
       .gpu = "a100",
       .precision = "=fp32",
       .set = [](RowPlan& plan) { plan.job.precision = Precision::tf32; },
       .says = "fp32 GEMMs run in TF32",
       .inferred = true,
       .citation = "NGC images from 20.06: TF32 is on unless NVIDIA_TF32_OVERRIDE=0"},
      // NVIDIA DeepLearningExamples, BERT.
      {.source = "deeplearningexamples languagemodeling-bert",
       .set = [](RowPlan& plan) { plan.job.attention = AttentionKernel::unfused; },
       .says = "attention is not fused",
       .citation =
           "NVIDIA/DeepLearningExamples PyTorch/LanguageModeling/BERT/modeling.py: attention as "
           "matmul, softmax, dropout, matmul"},
      {.source = "deeplearningexamples languagemodeling-bert",
       .framework = "pytorch",
       .notes = "pre-training",
       .set =
           [](RowPlan& plan) {
             constexpr Bytes everything = 1024_GiB;  // more than any GPU's gradients
             plan.job.fusion = Fusion::jit;
             plan.job.training.ddp.gradient_as_bucket_view = true;
             plan.job.training.ddp.bucket_cap = plan.job.training.ddp.first_bucket = everything;
           },
       .says = "jit fusion; one all-reduce of all gradients after backward",
       .citation = "same, run_pretraining.py: torch.jit.script(model); DDP with bucket_cap_mb = "
                   "total memory; "
                   "no_sync() while accumulating"},
      {.source = "deeplearningexamples languagemodeling-bert",
       .framework = "pytorch",
       .precision = "fp16|amp",
       .set = [](RowPlan& plan) { plan.job.training.ddp.compression = Compression::fp16; },
       .says = "gradients are kept and reduced in fp16",
       .citation =
           "same, scripts/configs/pretrain_config.sh: allreduce_post_accumulation_fp16=true "
           "(model.half()); run_squad.py: apex amp O2"},
      {.source = "deeplearningexamples languagemodeling-bert",
       .sequence = "=512",
       .ratios_only = "phase 2 skips padding (length bins): tokens per sequence are not stated",
       .citation = "same, README: phase 2 with LDDL sequence bins"},
      {.source = "deeplearningexamples languagemodeling-bert",
       .framework = "pytorch",
       .notes = "fine-tuning",
       .explanation = "fine-tuning: eager (no jit), another head, and gradient clipping that waits "
                      "for the GPU each step",
       .citation = "same, run_squad.py: GradientClipper.step reads total_norm.item()"},
      {.source = "deeplearningexamples languagemodeling-bert",
       .framework = "tensorflow1|tensorflow2",
       .set = [](RowPlan& plan) { plan.job.fusion = Fusion::compile; },
       .says = "XLA fuses elementwise kernels",
       .explanation = "TensorFlow's kernels and graph executor are taken as PyTorch's compiled ones",
       .citation = "NVIDIA/DeepLearningExamples TensorFlow*/LanguageModeling/BERT scripts: use_xla "
                   "true"},
      {.source = "deeplearningexamples languagemodeling-bert",
       .framework = "tensorflow1|tensorflow2",
       .precision = "fp16|amp",
       .set = [](RowPlan& plan) { plan.job.training.horovod.fp16_compression = true; },
       .says = "gradients travel in fp16",
       .citation = "same, optimization.py: hvd.Compression.fp16 with use_fp16"},
      // NVIDIA DeepLearningExamples, image classification.
      {.source = "deeplearningexamples classification",
       .framework = "pytorch",
       .precision = "fp16|amp",
       .gpus = "=8",
       .explanation =
           "partly bound by the input pipeline, as the source says (speed-up 6.7-6.9 on 8 GPUs)",
       .citation = "NVIDIA/DeepLearningExamples PyTorch/Classification/ConvNets README"},
      // PyTorch's own DDP benchmark.
      {.source = "benchmarks-distributed-ddp",
       .set = [](RowPlan& plan) { plan.job.training.ddp.broadcast_buffers = false; },
       .says = "buffers are not broadcast",
       .citation = "pytorch/pytorch benchmarks/distributed/ddp/benchmark.py: "
                   "broadcast_buffers=False, inputs on the device, torch.cuda.synchronize() each "
                   "iteration"},
      // FlagPerf classic models.
      {.source = "flagperf",
       .model = "resnet-50",
       .explanation =
           "NCHW whatever the precision, and the host waits for loss and accuracy each step",
       .citation = "FlagOpen/FlagPerf training/benchmarks/resnet50/pytorch/train/trainer.py: no "
                   "channels_last; all_reduce and tolist() of loss and accuracies"},
      {.source = "deeplearningexamples classification",
       .framework = "mxnet",
       .explanation = "MXNet fuses BatchNorm, ReLU and addition into convolutions; eager kernels are "
                      "taken here",
       .citation = "NVIDIA/DeepLearningExamples MxNet/Classification/RN50v1.5 README"},
      // MLPerf.
      {.source = "mlcommons",
       .model = "bert",
       .ratios_only = "sequences are packed or unpadded: tokens per sequence are not stated",
       .citation = "MLPerf Training BERT reference and NVIDIA's submissions: variable lengths"},
      {.source = "mlcommons",
       .model = "resnet",
       .set =
           [](RowPlan& plan) {
             plan.job.fusion = Fusion::jit;
             plan.job.half_weights = true;
           },
       .says = "fused BatchNorm and ReLU, 16-bit weights",
       .explanation = "epoch time holds the input pipeline and what happens between epochs",
       .inferred = true,
       .citation = "mlcommons/training_results NVIDIA mxnet: NHWC, BN+ReLU fusion"},
      // Horovod's 512 GPUs.
      {.source = "horovod-horovod",
       .column = "micro_batch",
       .value = "64",
       .citation = "horovod docs/benchmarks.rst: batch 64 in the reproduction command"},
      // TensorFlow's tf_cnn_benchmarks.
      {.source = "tensorflow-docs",
       .column = "optimizer",
       .value = "SGD",
       .citation = "tf_cnn_benchmarks default"},
  };
}

}  // namespace dsim
