#pragma once
// Tables of collectives taken apart into runs: one machine, one collective, many sizes. Only what a
// prediction may know is read here; the measured cells are found again by row (measured.h).
#include <cstdint>
#include <string>
#include <vector>

#include "calibrate/validate/collective/stated_run.h"
#include "calibrate/validate/csv_table.h"

namespace dsim {

/// Where the time of a row stands.
enum class MeasuredColumns : std::uint8_t {
  nccl_tests,  ///< time_us, or from busbw_gbps where that is blank
  latency_ms,  ///< latency, milliseconds
  vtrain,      ///< time_ns
  transports   ///< time_us_oop
};

struct SeriesRow {
  std::size_t row = 0;     ///< of the table
  std::uint32_t line = 0;  ///< in the file
  std::int64_t bytes = 0;
};

struct CollectiveSeries {
  std::string name = {};  ///< of the table, and what tells the runs of one table apart
  const CsvTable* table = nullptr;
  MeasuredColumns measured = MeasuredColumns::nccl_tests;
  StatedRun stated = {};
  std::vector<SeriesRow> rows = {};
};

/// A row without a size, counted as not predictable.
struct SeriesGap {
  std::string series;
  std::uint32_t line = 0;
  std::string reason;
};

/// Takes a table apart by the layout its header row shows. False: no table of collectives.
bool read_series(const CsvTable& table, std::vector<CollectiveSeries>& series,
                 std::vector<SeriesGap>& gaps);

}  // namespace dsim
