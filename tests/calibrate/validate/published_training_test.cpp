// The model against published step times. The bounds are generous: they catch a broken model, the
// accuracy is what `dsim validate training` prints.
#include <fmt/format.h>

#include <algorithm>
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
  CHECK(validation.overall().points >= 1700);
  CHECK(validation.headline().points >= 1250);
  CHECK(validation.headline().median < 0.13);
  CHECK(validation.headline().p90 < 0.31);
  CHECK(validation.median_ratio_difference() < 0.02);
  const OomSummary oom = validation.out_of_memory();
  CHECK(oom.foreseen * 3 >= oom.stated * 2);
  // Medians of sources whose stack is documented, with room for half as much again.
  const std::vector<std::pair<std::string, double>> bounds{
      {"korthikanti22", .08},   {"megatron_sc21", .03}, {"megatron_2020", .06},
      {"llm_foundry", .055},    {"vtrain_multi", .10},  {"vtrain_single", .15},
      {"dgxc_benchmarking", .06}, {"torchtitan", .12},  {"nanotron", .05},
      {"flagperf", .10},        {"bigscience_a100", .24}};
  const auto sources = validation.by(source_key);
  for (const auto& [name, bound] : bounds) {
    INFO(name);
    const auto source = std::ranges::find(sources, name, &GroupSummary::name);
    REQUIRE(source != sources.end());
    CHECK(source->errors.median < bound);
  }
}
