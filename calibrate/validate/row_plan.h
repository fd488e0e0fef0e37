#pragma once
// What a row of a training table becomes while its columns and its source's facts are read.
#include <optional>
#include <string>
#include <string_view>

#include "calibrate/validate/hardware_rules.h"
#include "calibrate/validate/row_inputs.h"
#include "model/simulate/experiment.h"
#include "model/workload/transformer/config.h"

namespace dsim {

/// What a `peak_mem_gb` column counts.
enum class MemoryMeasure : std::uint8_t {
  device,     ///< all that nvidia-smi shows: the context, too
  reserved,   ///< by PyTorch's caching allocator
  allocated,  ///< tensors
};
std::string_view name_of(MemoryMeasure measure);

/// A row half way to an Experiment. Columns are read into it first; a source's facts then fill in
/// what the columns do not say.
struct RowPlan {
  const RowInputs* row = nullptr;
  Job job;
  Hardware hardware;
  /// The network where it is a transformer: columns and facts change it before it is built.
  std::optional<TransformerConfig> config;
  std::string_view network;       ///< name of the model table it starts from; "" = by dimensions
  std::string assumptions;
  MemoryMeasure memory_measure = MemoryMeasure::device;
  double memory_unit = 1e9;       ///< bytes of a "GB" of the column
  /// Host time to issue one layer, where a source tells it; 0 = built-in launch times.
  double layer_forward_seconds = 0, layer_backward_seconds = 0;

  /// Whether the row itself states a column.
  bool states(std::string_view column) const { return !row->text(column).empty(); }
  std::int64_t count(std::string_view column) const { return row->count(column, 0); }
  void assume(std::string_view words);
};

}  // namespace dsim
