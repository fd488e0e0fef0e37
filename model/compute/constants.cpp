#include "model/compute/gpu.h"

namespace dsim {

void ComputeConstants::visit(const ConstantVisitor& visitor) {
  visitor("gemm_floor", gemm_floor);
  visitor("gemm_efficiency", gemm_efficiency);
  visitor("simt_efficiency", simt_efficiency);
  visitor("gemm_memory", gemm_memory);
  visitor("gemm_tile", gemm_tile);
  visitor("gemm_depth", gemm_depth);
  visitor("gemm_waves", gemm_waves);
  visitor("split_cost", split_cost);
  visitor("gemm_unaligned", gemm_unaligned);
  visitor("gemm_misaligned", gemm_misaligned);
  visitor("throttle", throttle);
  visitor("fp8_gain", fp8_gain);
  visitor("fp8_gain_grouped", fp8_gain_grouped);
  visitor("conv", conv);
  visitor("conv_fp32", conv_fp32);
  visitor("winograd", winograd);
  visitor("wgrad", wgrad);
  visitor("wgrad_accumulate", wgrad_accumulate);
  visitor("attention", attention);
  visitor("attention_backward", attention_backward);
  visitor("attention_narrow", attention_narrow);
  visitor("memory_efficiency", memory_efficiency);
  visitor("memory_sms", memory_sms);
  visitor("kernel_floor", kernel_floor);
  visitor("kappa", kappa);
  visitor("kappa_bytes", kappa_bytes);
}

}  // namespace dsim
