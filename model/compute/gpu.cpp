#include "model/compute/gpu.h"
#include "model/compute/gpu_aliases.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>

#include "model/compute/gpu_rows.h"
#include "sim/base/error.h"
#include "sim/base/registry.h"

namespace dsim {
namespace {

/// Names people and drivers use, in the spelling of `plain`.
constexpr std::pair<std::string_view, std::string_view> aliases[] = {
    {"p100", "p100-sxm2"},
    {"p100-sxm2-16gb", "p100-sxm2"},
    {"p100-pcie-16gb", "p100-pcie"},
    {"v100", "v100-sxm2-32"},
    {"v100-16gb", "v100-sxm2-16"},
    {"v100-32gb", "v100-sxm2-32"},
    {"v100-sxm2", "v100-sxm2-32"},
    {"v100-sxm2-16gb", "v100-sxm2-16"},
    {"v100-sxm2-32gb", "v100-sxm2-32"},
    {"v100-pcie-16gb", "v100-pcie"},
    {"v100-pcie-32gb", "v100-pcie"},
    {"a100", "a100-sxm-80"},
    {"a100-40gb", "a100-sxm-40"},
    {"a100-80gb", "a100-sxm-80"},
    {"a100-sxm", "a100-sxm-80"},
    {"a100-sxm4", "a100-sxm-80"},
    {"a100-sxm4-40gb", "a100-sxm-40"},
    {"a100-sxm4-80gb", "a100-sxm-80"},
    {"h100", "h100-sxm"},
    {"h100-sxm5", "h100-sxm"},
    {"h100-80gb-hbm3", "h100-sxm"},
    {"h200", "h200-sxm"},
    {"h800", "h800-sxm"},
    {"h20", "h20-sxm"},
    {"h20-96gb", "h20-sxm"},
    {"h20-141gb", "h20-sxm-141"},
    {"h100-96gb", "h100-sxm-96"},
    {"gh200-480gb", "gh200"},
    {"h100-pcie-80gb", "h100-pcie"},
    {"a100-pcie", "a100-pcie-80"},
    {"a100-pcie-40gb", "a100-pcie-40"},
    {"a100-pcie-80gb", "a100-pcie-80"},
    {"a100-80gb-pcie", "a100-pcie-80"},
    {"a800", "a800-sxm"},
    {"b200", "b200-sxm"},
    {"b300", "b300-sxm"},
    {"mi250x", "mi250x-gcd"},
    {"a6000", "rtx-a6000"},
    {"rtx3090", "rtx-3090"},
    {"4090", "rtx-4090"},
    {"rtx4090", "rtx-4090"},
    {"rtx2080ti", "rtx-2080-ti"},
    {"rtx-2080ti", "rtx-2080-ti"},
};

/// Lower case, '-' between words, no vendor: "NVIDIA H100 80GB HBM3" -> "h100-80gb-hbm3".
std::string plain(std::string_view name) {
  std::string result;
  for (const char c : name) {
    const bool gap = c == ' ' || c == '_';
    result += gap ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  for (const std::string_view vendor : {"nvidia-", "tesla-", "geforce-", "amd-", "instinct-"})
    if (result.starts_with(vendor)) result.erase(0, vendor.size());
  return result;
}

double sheet_peak(const Gpu& gpu, Precision precision) {
  switch (precision) {
    case Precision::fp32:
      return gpu.fp32;
    case Precision::tf32:
      return gpu.tf32;
    case Precision::fp16:
      return gpu.fp16;
    case Precision::bf16:
      return gpu.bf16;
    case Precision::fp8:
      return gpu.fp8;
  }
  return 0;
}

const Registry<Gpu> table() {
#define DSIM_GPU_ADDRESS(row) &row,
  return Registry<Gpu>("GPU", {DSIM_GPUS(DSIM_GPU_ADDRESS)});
#undef DSIM_GPU_ADDRESS
}

}  // namespace

std::string_view name_of(Architecture architecture) {
  switch (architecture) {
    case Architecture::kepler:
      return "kepler";
    case Architecture::pascal:
      return "pascal";
    case Architecture::volta:
      return "volta";
    case Architecture::turing:
      return "turing";
    case Architecture::ampere:
      return "ampere";
    case Architecture::ada:
      return "ada";
    case Architecture::hopper:
      return "hopper";
    case Architecture::blackwell:
      return "blackwell";
    case Architecture::cdna2:
      return "cdna2";
    case Architecture::cdna3:
      return "cdna3";
  }
  return "";
}

double Gpu::peak(Precision precision) const {
  if (const double rate = sheet_peak(*this, precision); rate > 0) return rate;
  std::string known;
  for (const Precision other :
       {Precision::fp32, Precision::tf32, Precision::fp16, Precision::bf16, Precision::fp8})
    if (sheet_peak(*this, other) > 0)
      known += (known.empty() ? "" : ", ") + std::string(name_of(other));
  throw InputError(std::string(name) + " has no " + std::string(name_of(precision)) +
                   " mode (it has " + known + ")");
}

std::vector<std::string_view> aliases_of(const Gpu& gpu) {
  std::vector<std::string_view> result;
  for (const auto& [alias, name] : aliases)
    if (name == gpu.name) result.push_back(alias);
  return result;
}

const Gpu& gpu_by_name(std::string_view name) {
  const std::string wanted = plain(name);
  const auto* alias = std::find_if(std::begin(aliases), std::end(aliases),
                                   [&](const auto& entry) { return entry.first == wanted; });
  return table().at(alias == std::end(aliases) ? std::string_view(wanted) : alias->second);
}

std::vector<const Gpu*> gpus() {
  const Registry<Gpu> rows = table();
  return {rows.rows().begin(), rows.rows().end()};
}

}  // namespace dsim
