// The model against published step times. The bounds are generous: they catch a broken model, the
// accuracy is what `dsim validate training` prints.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "calibrate/validate/table_files.h"
#include "calibrate/validate/training_report.h"
#include "sim/base/data_files.h"
#include "tests/support/reference_data.h"

using namespace dsim;

namespace {

TrainingValidation validated(const std::filesystem::path& folder) {
  const auto tables = load_tables(folder, {});
  return validate_training(tables, simulated_step());
}

}  // namespace

TEST_CASE("published figures shipped with dsim are predicted", "[.][validation]") {
  const TrainingValidation validation =
      validated(data_directory() / "calibrate/validate/data/training");
  INFO(training_text(validation));
  CHECK(validation.overall().points >= 76);
  CHECK(validation.overall().median < 0.20);
  CHECK(validation.overall().p90 < 0.45);
  CHECK(validation.median_ratio_difference() < 0.04);
}

TEST_CASE("the reference tables are predicted, and every row is accounted for", "[.][validation]") {
  const auto folder = test::reference_data();
  if (!folder) return;
  const TrainingValidation validation = validated(*folder / "training");
  INFO(training_text(validation));
  CHECK(validation.overall().points + validation.not_predictable() == validation.rows.size());
  CHECK(validation.overall().points >= 76);
  CHECK(validation.overall().median < 0.20);
  for (const GroupSummary& source : validation.by(source_key))
    if (source.errors.points >= 10) {
      INFO(source.name);
      CHECK(source.errors.median < 0.35);
    }
}
