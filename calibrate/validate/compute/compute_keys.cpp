#include <fmt/format.h>

#include <cmath>

#include "calibrate/validate/compute/compute_report.h"

namespace dsim {

std::string gemm_gpu_key(const ComparedGemm& row) {
  return fmt::format("{} · {}", row.gpu, row.dtype);
}

std::string gemm_decade_key(const ComparedGemm& row) {
  const int decade = static_cast<int>(std::floor(std::log10(row.flops)));
  return fmt::format("{} · 1e{:02} to 1e{:02} FLOP", gemm_gpu_key(row), decade, decade + 1);
}

std::string gemm_shape_key(const ComparedGemm& row) {
  const std::int64_t narrow = std::min(row.m, row.n);
  const char* shape = row.k >= 50000  ? "k of 50,000 and more"
                      : narrow <= 128 ? "m or n of 128 and less"
                                      : "others";
  return fmt::format("{} · {}", gemm_gpu_key(row), shape);
}

const std::vector<GemmDivision>& gemm_divisions() {
  static const std::vector<GemmDivision> divisions{
      {"By GPU", "by_gpu", gemm_gpu_key},
      {"By GPU, from 1e10 FLOP", "large_by_gpu", gemm_gpu_key, large_gemm_flops},
      {"By GPU and FLOP", "by_flops", gemm_decade_key},
      {"By GPU and shape", "by_shape", gemm_shape_key},
  };
  return divisions;
}

std::string compute_line(const ComputeValidation& validation) {
  return closing_line(validation.overall(), validation.not_predictable());
}

}  // namespace dsim
