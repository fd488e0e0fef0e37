#include "model/strategy/optimizer.h"

#include <algorithm>
#include <cmath>

#include "sim/base/registry.h"

namespace dsim {

namespace {

// Bytes of one fp32 value read or written are 4; r = read, w = written.
//   SGD with momentum: p r w, m r w, g r                                 = 20
//   Adam, AdamW:       p r w, m r w, v r w, g r                          = 28
//   LAMB:              norm g r; stage 1 p, g, m, v r, m, v, update w;
//                      norms p, update r; stage 2 p, update r, p w       = 52
//                      (NVIDIA apex csrc/multi_tensor_lamb.cu)
//   LARS:              norms p, g r; p r w, m r w, g r                   = 28
//                      (NVIDIA apex multi_tensor_lars)
//   Lion:              p r w, m r w, g r                                 = 20
//   Adafactor:         g r (means of rows and columns); g r, u w; u r (its norm); u r, p r w = 28
//                      (Shazeer & Stern 2018, no momentum)
//   8-bit Adam:        p r w, g r, two states of one byte r w            = 16
//                      (bitsandbytes; a scale in 256 values is left out)
// foreach: one multi-tensor kernel an operation (pytorch torch/optim), so temporaries are moved:
//   SGD:  m * mu (8), m + g (12), p - lr m (12)                          = 32
//   Adam: m lerp g (12), v * b2 (8), v + g g (12), sqrt (8), / (8), + eps (8), p addcdiv (16) = 72
//   AdamW: and p * (1 - lr wd) (8)                                       = 80
// A loop over tensors moves as much, one launch an operation and tensor.
// Mixed precision writes a 16-bit copy of the weight beside it (+2); the published LAMB rows of
// BERT also unscale and check the gradient first, 60 in all.
constexpr std::string_view counted = "operands of the update counted, fused kernel";
constexpr std::string_view fused =
    "fused or multi-tensor kernels; a foreach optimizer moves about three times as much";

// A multi-tensor launch covers at most 320 blocks of 65,536 elements and 36 to 110 tensors (pytorch
// aten/src/ATen/native/cuda/MultiTensorApply.cuh), so 25 M parameters in 161 tensors take 4 and 335
// M in 393 take 16.
const OptimizerKind sgd{"sgd",
                        "SGD with momentum, multi-tensor",
                        {22, 0.15, Level::published, counted, fused},
                        {20, 0.1, Level::published, counted, fused},
                        4,
                        4,
                        1,
                        3};
const OptimizerKind adam{
    "adam",
    "Adam, fused",
    {30, 0.1, Level::published,
     "counted: 28 and the 16-bit copy; a trained mixed-precision step, 28-36 measured", fused},
    {28, 0.1, Level::published, counted, fused},
    8,
    16};
const OptimizerKind adamw{"adamw",
                          "Adam with decoupled weight decay, fused",
                          adam.bytes_per_parameter_mixed,
                          adam.bytes_per_parameter_full,
                          8,
                          16};
const OptimizerKind lamb{
    "lamb",
    "LAMB, fused in two stages (NVIDIA apex)",
    {60, 0.15, Level::fitted,
     "BERT-large rows of NVIDIA DeepLearningExamples, LanguageModeling/BERT", fused},
    {52, 0.15, Level::published, "apex csrc/multi_tensor_lamb.cu, operands counted", fused},
    8,
    64,
    4,
    4};

constexpr std::string_view each = "one multi-tensor kernel an operation; operands counted";
constexpr std::string_view loop = "one kernel an operation and tensor; operands counted";
const OptimizerKind lars{"lars",
                         "LARS with momentum, multi-tensor (NVIDIA apex)",
                         {30, 0.15, Level::published, counted, fused},
                         {28, 0.15, Level::published, counted, fused},
                         4,
                         12,
                         3,
                         3};
const OptimizerKind lion{"lion",
                         "Lion: sign of the momentum, fused",
                         {22, 0.15, Level::published, counted, fused},
                         {20, 0.15, Level::published, counted, fused},
                         4,
                         8,
                         1,
                         3};
const OptimizerKind adafactor{"adafactor",
                              "Adafactor: factored second moments, no momentum",
                              {30, 0.25, Level::assumed, counted, "fused"},
                              {28, 0.25, Level::assumed, counted, "fused"},
                              0,
                              64,
                              4,
                              3};
const OptimizerKind adam_8bit{"adam-8bit",
                              "Adam with 8-bit states (bitsandbytes), a launch a tensor",
                              {18, 0.2, Level::published, counted, "blockwise kernels"},
                              {16, 0.2, Level::published, counted, "blockwise kernels"},
                              2,
                              300,
                              1,
                              0};
const OptimizerKind sgd_foreach{"sgd-foreach",
                                "SGD with momentum, PyTorch's default: an operation a kernel",
                                {34, 0.15, Level::published, each, ""},
                                {32, 0.15, Level::published, each, ""},
                                4,
                                12,
                                3,
                                3};
const OptimizerKind adam_foreach{"adam-foreach",
                                 "Adam, PyTorch's default: an operation a kernel",
                                 {74, 0.15, Level::published, each, ""},
                                 {72, 0.15, Level::published, each, ""},
                                 8,
                                 40,
                                 7,
                                 3};
const OptimizerKind adamw_foreach{"adamw-foreach",
                                  "AdamW, PyTorch's default: an operation a kernel",
                                  {82, 0.15, Level::published, each, ""},
                                  {80, 0.15, Level::published, each, ""},
                                  8,
                                  48,
                                  8,
                                  3};
const OptimizerKind adam_loop{"adam-loop",
                              "Adam, a loop over tensors: an operation a kernel and tensor",
                              {74, 0.15, Level::published, loop, ""},
                              {72, 0.15, Level::published, loop, ""},
                              8,
                              3600,
                              12,
                              0};

// Tensors a launch by the number of lists, 1 to 5 (pytorch aten/src/ATen/native/cuda/
// MultiTensorApply.cuh, depth_to_max_tensors), and blocks a launch of 65,536 elements.
constexpr std::size_t tensors_a_launch[] = {110, 64, 48, 36, 30};
constexpr double elements_a_launch = 320.0 * 65536;

Registry<OptimizerKind> registry() {
  return {"optimizer",
          {&sgd, &adam, &adamw, &lamb, &lars, &lion, &adafactor, &adam_8bit, &sgd_foreach,
           &adam_foreach, &adamw_foreach, &adam_loop}};
}

}  // namespace

const OptimizerKind& optimizer_kind(std::string_view name) { return registry().at(name); }

std::vector<const OptimizerKind*> optimizer_kinds() {
  const auto optimizers = registry();
  return {optimizers.rows().begin(), optimizers.rows().end()};
}

std::size_t optimizer_launches(const OptimizerKind& kind, std::size_t tensors, double parameters) {
  const auto operations = static_cast<std::size_t>(kind.operations);
  if (kind.lists == 0) return operations * tensors;
  const std::size_t capacity = tensors_a_launch[std::min(kind.lists, 5) - 1];
  const auto by_blocks = static_cast<std::size_t>(std::ceil(parameters / elements_a_launch));
  return operations * std::max({by_blocks, (tensors + capacity - 1) / capacity, std::size_t{1}});
}

// ZeRO-Offload (Ren et al. 2021, arXiv 2101.06840), table of CPU-Adam on a DGX-2 (two Xeon 8168):
// 1 to 10 billion parameters in 0.22 to 2.57 s.
Constant cpu_adam_rate() {
  return {4.2e9, 0.2, Level::published,
          "ZeRO-Offload, arXiv 2101.06840: 1-10 G parameters in 0.22-2.57 s",
          "a node of two sockets, DDR4; about five times slower in PyTorch's own Adam"};
}

}  // namespace dsim
