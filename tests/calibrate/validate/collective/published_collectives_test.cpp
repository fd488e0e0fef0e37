// The model against published tables of nccl-tests. The bounds are generous: they catch a broken
// model, the accuracy is what `dsim validate collectives` prints.
#include <catch2/catch.hpp>

#include "calibrate/validate/collective/collectives_report.h"
#include "calibrate/validate/table_files.h"
#include "sim/base/data_files.h"
#include "tests/support/reference_data.h"

using namespace dsim;

TEST_CASE("published collectives shipped with dsim name their sources and are predicted",
          "[.][validation][collectives]") {
  const auto tables = load_tables(data_directory() / "calibrate/validate/data/collectives", {});
  const CollectiveValidation validation = validate_collectives(tables);
  INFO(collectives_text(validation));
  CHECK(validation.gaps.empty());
  for (const MeasuredRun& run : validation.runs) {
    INFO(run.plan.series->name);
    CHECK_FALSE(run.plan.series->stated.source.empty());
  }
  CHECK(validation.overall().points >= 800);
  CHECK(validation.overall().median < .5);
}

TEST_CASE("the reference tables of collectives are predicted, and every row is accounted for",
          "[.][validation][collectives]") {
  const auto folder = test::reference_data();
  if (!folder) return;
  const auto tables = load_tables({*folder / "nccl-tests", *folder / "nccl-aic"}, {});
  const CollectiveValidation validation = validate_collectives(tables);
  std::size_t rows = 0;
  for (const CsvTable& table : tables) rows += table.row_count();
  std::size_t points = validation.gaps.size();
  for (const MeasuredRun& run : validation.runs) points += run.points.size();
  CHECK(points == rows);
  CHECK(validation.overall().points >= 3000);
  CHECK(validation.overall().median < .5);
}
