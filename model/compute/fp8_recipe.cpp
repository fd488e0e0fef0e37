#include <string>

#include "model/compute/gpu.h"
#include "sim/base/error.h"

namespace dsim {
namespace {

/// Gains over 16-bit GEMMs, quantisation included, of dense GEMMs and of grouped ones.
struct Gains {
  Constant dense, grouped;
};

Gains gains_of(Fp8Recipe recipe, const ComputeConstants& constants) {
  switch (recipe) {
    case Fp8Recipe::delayed:
      break;
    case Fp8Recipe::dynamic:
      return {{1.10, 0.12, Level::published,
               "pytorch/torchtitan rowwise training 1.0-1.1; aiconfigurator 095f58a5 GEMMs with "
               "their quantisation kernel 1.31 (H100)",
               "scales from the data of the same step"},
              {1.05, 0.15, Level::assumed, "as dense, the smaller GEMMs hide less", ""}};
    case Fp8Recipe::block:
      return {{1.5, 0.15, Level::published,
               "aiconfigurator 095f58a5 gemm_perf with the quantisation kernel: H200, B200 1.5",
               "blocks of 32 to 128 values"},
              {1.25, 0.15, Level::assumed, "half of the dense gain, as with delayed scaling", ""}};
    case Fp8Recipe::nvfp4:
      return {{2.5, 0.2, Level::published,
               "NVFP4 against bf16 GEMMs of training stacks, quantisation included: 1.9 (p10) to "
               "3.2 (p90)",
               "Blackwell"},
              {1.75, 0.2, Level::assumed, "half of the dense gain, as with delayed scaling", ""}};
  }
  return {constants.fp8_gain, constants.fp8_gain_grouped};
}

}  // namespace

ComputeConstants with_recipe(const Gpu& gpu, Fp8Recipe recipe) {
  if (recipe == Fp8Recipe::nvfp4 && gpu.architecture != Architecture::blackwell)
    throw InputError(std::string(gpu.name) + " has no fp4 mode: recipe nvfp4 needs Blackwell");
  ComputeConstants constants = gpu.constants;
  const Gains gains = gains_of(recipe, constants);
  constants.fp8_gain = gains.dense;
  constants.fp8_gain_grouped = gains.grouped;
  return constants;
}

}  // namespace dsim
