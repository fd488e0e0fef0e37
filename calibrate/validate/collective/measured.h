#pragma once
#include <optional>

#include "calibrate/validate/collective/series.h"
#include "model/workload/program.h"

namespace dsim {

/// What a row measured, in seconds: its time, or size x factor / busbw where only the bus bandwidth
/// was published. `reason` says why there is none: blank, not a positive number, or printed with so
/// few digits that rounding alone is more than 5 %.
struct MeasuredTime {
  std::optional<double> seconds;
  std::string reason;
};
MeasuredTime measured_time(const CollectiveSeries& series, const SeriesRow& row, CollectiveOp op,
                           std::uint32_t ranks);

}  // namespace dsim
