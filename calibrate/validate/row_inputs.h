#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "calibrate/validate/csv_table.h"

namespace dsim {

/// Why a row cannot be predicted.
enum class Obstacle : std::uint8_t {
  none,
  layout,     ///< rows of a kind that no model here covers
  strategy,   ///< not one of ours, or degrees that do not fit the GPUs
  framework,  ///< one whose sharding is not known
  recompute,  ///< of a kind nobody here knows
  model,      ///< a network that is not in the table
  precision,
  hardware,     ///< no rule for the GPU, the node or its NICs
  batch,        ///< not stated, or not a whole number of micro-batches
  number,       ///< a cell that is not a number
  simulation,   ///< the simulator refused the experiment
  measurement,  ///< nothing to compare with
  padding,      ///< the source skips padding: ratios only
  excluded      ///< the row contradicts itself or is flagged by its source
};
std::string_view name_of(Obstacle obstacle);

/// Thrown and caught while a row is read: it cannot be predicted, for a reason that is counted.
struct Unpredictable {
  Obstacle obstacle = Obstacle::none;
  std::string reason;
};

/// What a prediction may know of a row. A column that the table lacks is looked for in the `# key:
/// value` lines above it. The measured columns are out of reach: asking for one is a programmer's
/// mistake.
class RowInputs {
 public:
  RowInputs(const CsvTable& table, std::size_t row) : table_(&table), row_(row) {}

  const CsvTable& table() const { return *table_; }
  /// States a column where the row leaves it empty (a fact of the source). Both texts must live as
  /// long as this does.
  void fill(std::string_view column, std::string_view value);
  /// "" if not stated ("n/a", "-", "?", "unknown" and "TODO" state nothing).
  std::string_view text(std::string_view column) const;
  /// Empty if not stated. Throws Unpredictable for text that is not a finite number.
  std::optional<double> number(std::string_view column) const;
  /// A whole number in [1, 2^40]; `otherwise` if not stated.
  std::int64_t count(std::string_view column, std::int64_t otherwise) const;
  /// The value of `# key: value`, "" without.
  std::string_view remark(std::string_view key) const { return table_->remark(key); }
  std::uint32_t line() const;

 private:
  CsvCell cell(std::string_view column) const;

  const CsvTable* table_;
  std::size_t row_;
  std::vector<std::pair<std::string_view, std::string_view>> filled_;
};

/// True for columns that hold what was measured (step times, throughput, utilisation, memory).
bool is_measured_column(std::string_view column);

/// A number as tables write it: "8", "25.6e6", "1,024". Empty if the text is anything else.
std::optional<double> parse_table_number(std::string_view text);

}  // namespace dsim
