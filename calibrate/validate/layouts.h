#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/validate/csv_table.h"

namespace dsim {

/// Kinds of measurement tables. They are told apart by their header row, never by file name.
enum class TableLayout : std::uint8_t {
  training,    ///< one training run a row: model, gpu, batch, step time
  vtrain,      ///< vTrain's GPT runs: hidden, heads, layers, tp, dp, pp, step_time_ms
  collective,  ///< nccl-tests: size_bytes, time_us, busbw_gbps
  gemm,        ///< m, n, k, latency_us
  unknown
};

TableLayout layout_of(const CsvTable& table);
std::string_view title_of(TableLayout layout);

/// Columns of a training table that nobody here knows, with the nearest known name; one sentence
/// each.
std::vector<std::string> unknown_training_columns(const CsvTable& table);

}  // namespace dsim
