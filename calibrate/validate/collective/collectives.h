#pragma once
// Published tables of nccl-tests, predicted and compared.
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/validate/collective/plan.h"
#include "calibrate/validate/statistics.h"
#include "model/calibration.h"

namespace dsim {

enum class PointStatus : std::uint8_t {
  compared,
  setup,  ///< a first row above 1.5x the second: connections being set up
  not_predictable
};
std::string_view name_of(PointStatus status);

struct ComparedPoint {
  std::uint32_t line = 0;
  std::int64_t bytes = 0;
  PointStatus status = PointStatus::not_predictable;
  std::string reason = {};
  double predicted_s = std::numeric_limits<double>::quiet_NaN();
  double low_s = std::numeric_limits<double>::quiet_NaN();  ///< 90 % interval
  double high_s = std::numeric_limits<double>::quiet_NaN();
  double measured_s = std::numeric_limits<double>::quiet_NaN();
  double left_out_s = std::numeric_limits<double>::quiet_NaN();  ///< by constants fitted elsewhere
  std::string algorithm = {}, protocol = {}, bottleneck = {};
  std::uint32_t channels = 0;

  double ratio() const { return predicted_s / measured_s; }
};

/// What the publisher's table is said to be.
enum class Health : std::uint8_t { healthy, unknown, faulty };
std::string_view name_of(Health health);  ///< "yes", "unknown", "no"

/// A run: one machine, one collective, its sizes.
struct MeasuredRun {
  CollectivePlan plan;
  Health health = Health::unknown;
  std::vector<ComparedPoint> points;
  std::string machine_key() const { return plan.site + " · " + plan.machine; }
};

/// A constant of the model that was in use, and for how many runs.
struct ConstantInUse {
  std::string name;
  Constant constant;
  std::size_t runs = 0;
  bool free() const { return constant.level == Level::fitted || constant.level == Level::assumed; }
};

struct ErrorGroup {
  std::string name;
  ErrorSummary errors;
};

struct UnpredictableCount {
  std::string reason;
  std::size_t points = 0;
};

struct CollectiveValidation {
  CollectiveValidation() = default;
  CollectiveValidation(CollectiveValidation&&) = default;  // the runs point into `series`
  CollectiveValidation& operator=(CollectiveValidation&&) = default;

  std::vector<CollectiveSeries> series;
  std::vector<MeasuredRun> runs;
  std::vector<SeriesGap> gaps;
  std::vector<ConstantInUse> constants;
  std::vector<std::string> notices;
  bool left_out = false;  ///< leave-one-out was done

  /// Which prediction of a point is meant.
  using Ratio = double (*)(const ComparedPoint&);
  using Key = std::function<std::string(const MeasuredRun&, const ComparedPoint&)>;
  using Filter = std::function<bool(const MeasuredRun&, const ComparedPoint&)>;

  ErrorSummary overall(Health health = Health::healthy) const;
  ErrorSummary errors(const Filter& filter, Ratio ratio) const;
  /// In order of first appearance; runs of that health alone.
  std::vector<ErrorGroup> by(Health health, const Key& key) const;
  std::size_t count(PointStatus status) const;
  std::size_t not_predictable() const;
  std::vector<UnpredictableCount> reasons() const;  ///< most frequent first
  std::size_t free_constants() const;
};

/// "< 64 KiB", "64 KiB to 16 MiB", "> 16 MiB".
std::string size_class(std::int64_t bytes);

using CollectiveProgress = std::function<void(std::size_t done, std::size_t all)>;

/// Plans every run of the tables, predicts it, and only then reads what was measured.
CollectiveValidation validate_collectives(std::span<const CsvTable> tables,
                                          const CollectiveProgress& progress = {});

}  // namespace dsim
