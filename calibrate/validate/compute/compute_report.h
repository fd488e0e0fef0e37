#pragma once
// The faces of a ComputeValidation. All end in, or hold, the same closing line: the rows no
// constant was fitted to.
#include <string>

#include "calibrate/validate/compute/compute.h"

namespace dsim {

std::string compute_text(const ComputeValidation& validation);
std::string compute_markdown(const ComputeValidation& validation);
/// One object, format dsim.validation/1: rows, summary. Errors are fractions; what does not exist
/// is null.
std::string compute_json(const ComputeValidation& validation);
/// One line a row of the tables, RFC 4180.
std::string compute_csv(const ComputeValidation& validation);
/// The last line of every report.
std::string compute_line(const ComputeValidation& validation);

/// From here on a GEMM is large: training spends its time there.
inline constexpr double large_gemm_flops = 1e10;

// Groups in which the figures are given; keys for ComputeValidation::by.
std::string gemm_gpu_key(const ComparedGemm& row);     ///< "a100-sxm-80 · bf16"
std::string gemm_decade_key(const ComparedGemm& row);  ///< the same and "1e10 to 1e11 FLOP"
/// The same and what is unusual about the shape, a class the tile model may miss.
std::string gemm_shape_key(const ComparedGemm& row);

/// A way to divide the rows.
struct GemmDivision {
  std::string_view title;
  std::string_view name;  ///< key in JSON
  ComputeValidation::Key key;
  double least_flops = 0;
};
const std::vector<GemmDivision>& gemm_divisions();

}  // namespace dsim
