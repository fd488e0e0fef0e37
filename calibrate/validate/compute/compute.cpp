#include "calibrate/validate/compute/compute.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "calibrate/validate/compute/fit_half.h"
#include "calibrate/validate/compute/gemm_table.h"
#include "model/compute/gpu.h"

namespace dsim {
namespace {

/// GPUs whose rows say that they were fitted to half of the public samples.
bool fitted_to_samples(const Gpu& gpu) {
  return gpu.constants.gemm_depth.level == Level::fitted &&
         gpu.constants.gemm_depth.source.find("held out") != std::string_view::npos;
}

Kernel kernel_of(const ComparedGemm& row, Precision precision) {
  const auto m = static_cast<double>(row.m), n = static_cast<double>(row.n),
             k = static_cast<double>(row.k), batch = static_cast<double>(row.batch);
  Kernel kernel;
  kernel.kind = KernelKind::gemm;
  kernel.m = row.m;
  kernel.n = row.n;
  kernel.k = row.k;
  kernel.batch = row.batch;
  kernel.flops = 2 * m * n * k * batch;
  kernel.bytes =
      batch * (element_bytes(precision) * k * (m + n) + activation_bytes(precision) * m * n);
  return kernel;
}

void predict(ComparedGemm& row, bool sample) {
  try {
    const Gpu& gpu = gpu_by_name(row.gpu);
    const Precision precision = precision_from(row.dtype);
    row.gpu = gpu.name;
    ComputeConstants constants = gpu.constants;
    constants.kappa.value = 1;
    const Kernel kernel = kernel_of(row, precision);
    row.predicted_s = kernel_time(kernel, precision, gpu, constants).seconds;
    const bool fitted = sample && fitted_to_samples(gpu) && in_fit_half(row.m, row.n, row.k);
    row.status = fitted ? GemmStatus::fitted : GemmStatus::held_out;
  } catch (const InputError& error) {
    const std::string_view text = error.what();
    row.reason = std::string(text.substr(0, text.find('\n')));
  }
}

ComparedGemm planned(const CsvTable& table, const StatedGemm& stated, bool sample) {
  ComparedGemm row{.table = table.name(),
                   .line = stated.line,
                   .gpu = stated.gpu,
                   .dtype = stated.dtype.empty() ? "bf16" : stated.dtype,
                   .m = stated.m,
                   .n = stated.n,
                   .k = stated.k,
                   .batch = stated.batch,
                   .reason = stated.problem};
  row.flops = 2.0 * static_cast<double>(row.m) * static_cast<double>(row.n) *
              static_cast<double>(row.k) * static_cast<double>(row.batch);
  if (row.reason.empty() && row.gpu.empty())
    row.reason = "no GPU stated (column, '# gpu:' line or table name gemm_DTYPE_GPU)";
  if (row.reason.empty()) predict(row, sample);
  return row;
}

}  // namespace

std::string_view name_of(GemmStatus status) {
  switch (status) {
    case GemmStatus::held_out:
      return "held out";
    case GemmStatus::fitted:
      return "fitted";
    case GemmStatus::not_predictable:
      return "not predictable";
  }
  return "";
}

ErrorSummary ComputeValidation::overall(GemmStatus status, double least_flops) const {
  std::vector<double> ratios;
  for (const ComparedGemm& row : rows)
    if (row.status == status && row.flops >= least_flops) ratios.push_back(row.error() + 1);
  return summarise(ratios);
}

std::vector<GemmGroup> ComputeValidation::by(GemmStatus status, const Key& key,
                                             double least_flops) const {
  std::map<std::string, std::vector<double>> ratios;
  for (const ComparedGemm& row : rows)
    if (row.status == status && row.flops >= least_flops)
      ratios[key(row)].push_back(row.error() + 1);
  std::vector<GemmGroup> groups;
  for (const auto& [name, values] : ratios) groups.push_back({name, summarise(values)});
  return groups;
}

std::size_t ComputeValidation::not_predictable() const {
  return static_cast<std::size_t>(
      std::ranges::count(rows, GemmStatus::not_predictable, &ComparedGemm::status));
}

std::vector<GemmReason> ComputeValidation::reasons() const {
  std::map<std::string, std::size_t> counts;
  for (const ComparedGemm& row : rows)
    if (!row.compared()) ++counts[row.reason];
  std::vector<GemmReason> result;
  for (const auto& [reason, count] : counts) result.push_back({reason, count});
  std::ranges::stable_sort(result, std::greater<>(), &GemmReason::rows);
  return result;
}

ComputeValidation validate_compute(std::span<const CsvTable> tables,
                                   const ComputeProgress& progress) {
  ComputeValidation validation;
  for (std::size_t t = 0; t < tables.size(); ++t) {
    const CsvTable& table = tables[t];
    if (!is_gemm_table(table)) {
      validation.notices.push_back(
          fmt::format("{}: no table of GEMMs (columns m, n, k and latency_us, time_us or time_ms)",
                      table.name()));
      continue;
    }
    const bool sample = is_fitted_sample(table);
    for (const StatedGemm& stated : stated_gemms(table)) {
      ComparedGemm row = planned(table, stated, sample);
      const auto measured = measured_gemm_time(table, stated.row);
      if (measured) row.measured_s = *measured;
      if (row.compared() && !measured) {
        row.status = GemmStatus::not_predictable;
        row.reason = "no time measured";
      }
      validation.rows.push_back(std::move(row));
    }
    if (progress) progress(t + 1, tables.size());
  }
  return validation;
}

}  // namespace dsim
