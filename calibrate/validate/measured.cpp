#include "calibrate/validate/measured.h"

#include "calibrate/validate/row_inputs.h"
#include "calibrate/validate/text_pattern.h"

namespace dsim {
namespace {

std::optional<double> positive(const CsvTable& table, std::size_t row, std::string_view column) {
  const auto value = parse_table_number(table.cell(row, column).text);
  return value && *value > 0 ? value : std::nullopt;
}

}  // namespace

std::optional<double> measured_step_time(const CsvTable& table, std::size_t row, double samples,
                                         double tokens_per_sample, double gpus) {
  if (const auto seconds = positive(table, row, "step_time_s")) return seconds;
  if (const auto milliseconds = positive(table, row, "step_time_ms")) return *milliseconds * 1e-3;
  const auto throughput = positive(table, row, "throughput");
  if (!throughput || samples <= 0) return std::nullopt;
  const std::string_view unit = table.cell(row, "throughput_unit").text;
  double work = samples;
  if (matches(unit, "tokens|token")) {
    if (tokens_per_sample <= 0) return std::nullopt;
    work *= tokens_per_sample;
  } else if (!matches(unit, "=|images|image|img|sequences|sequence|seq|samples|sample|sentences")) {
    return std::nullopt;
  }
  if (matches(unit, "gpu|device")) work /= gpus;
  return work / *throughput;
}

std::optional<double> measured_memory(const CsvTable& table, std::size_t row, double unit) {
  const auto value = positive(table, row, "peak_mem_gb");
  return value ? std::optional(*value * unit) : std::nullopt;
}

bool ran_out_of_memory(const CsvTable& table, std::size_t row) {
  if (positive(table, row, "step_time_s") || positive(table, row, "throughput")) return false;
  constexpr std::string_view words = "oom|out-of-memory|outofmemory";
  return matches(table.cell(row, "notes").text, words) ||
         matches(table.cell(row, "activation_recompute").text, words);
}

}  // namespace dsim
