#pragma once
// A measured table beside a predicted one.
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "calibrate/sample.h"
#include "calibrate/validate/statistics.h"
#include "model/collective/report/collective_report.h"

namespace dsim {

/// One size of both.
struct ComparedRow {
  const CollectivePoint* point = nullptr;  ///< of the report
  double measured_us = 0, measured_busbw_gbps = 0;
  double error = 0;     ///< predicted / measured - 1, of the time
  bool inside = false;  ///< measured time lies within the interval
};

struct CollectiveComparison {
  std::string source;  ///< "file:line"
  std::string what;    ///< what the file says of the run, in words
  std::vector<ComparedRow> rows;
  ErrorSummary summary;
  std::vector<std::string> notices;  ///< of the reader; where machine and file differ
};

/// Time of a row in us: as published, else size x factor / bandwidth. Empty if it says neither.
std::optional<double> measured_time_us(const MeasuredRow& row, CollectiveOp op,
                                       std::uint32_t ranks);

/// Puts the rows of equal size side by side. The report must outlive the comparison.
CollectiveComparison compare(const MeasuredTable& measured, const CollectiveReport& report);

std::string comparison_text(const CollectiveComparison& comparison);
/// A JSON array of objects.
std::string comparisons_json(const std::vector<CollectiveComparison>& comparisons);

}  // namespace dsim
