#include "model/strategy/optimizer.h"

#include "sim/base/registry.h"

namespace dsim {

namespace {

// Bytes of one fp32 value read or written are 4; r = read, w = written.
//   SGD with momentum: p r w, m r w, g r                                 = 20
//   Adam, AdamW:       p r w, m r w, v r w, g r                          = 28
//   LAMB:              norm g r; stage 1 p, g, m, v r, m, v, update w;
//                      norms p, update r; stage 2 p, update r, p w       = 52
//                      (NVIDIA apex csrc/multi_tensor_lamb.cu)
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
                        4};
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
    64};

Registry<OptimizerKind> registry() { return {"optimizer", {&sgd, &adam, &adamw, &lamb}}; }

}  // namespace

const OptimizerKind& optimizer_kind(std::string_view name) { return registry().at(name); }

std::vector<const OptimizerKind*> optimizer_kinds() {
  const auto optimizers = registry();
  return {optimizers.rows().begin(), optimizers.rows().end()};
}

}  // namespace dsim
