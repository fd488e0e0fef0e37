#pragma once
#include <cstddef>
#include <optional>

#include "calibrate/validate/csv_table.h"

namespace dsim {

/// Seconds a step took, read from a training table: `step_time_s`, `step_time_ms`, or from
/// `throughput` and `throughput_unit` with the samples a step, their length in tokens and the GPUs.
/// Empty if the row has none of them, or nothing that is a positive number.
std::optional<double> measured_step_time(const CsvTable& table, std::size_t row, double samples,
                                         double tokens_per_sample, double gpus);

/// `peak_mem_gb` in bytes, a "GB" being `unit` bytes; empty without.
std::optional<double> measured_memory(const CsvTable& table, std::size_t row, double unit);

/// Whether the row says that the run ran out of memory: in its notes or its recomputation.
bool ran_out_of_memory(const CsvTable& table, std::size_t row);

}  // namespace dsim
