// Logs as they were published, where DSIM_REFERENCE_DATA has them.
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "calibrate/nccl_tests/read_tables.h"
#include "sim/base/error.h"
#include "tests/support/message_of.h"
#include "tests/support/reference_data.h"

using namespace dsim;

namespace {

/// Rows, ranks and last busbw, counted by eye in the file of that number.
struct Log {
  const char* number;
  std::size_t rows;
  std::int64_t ranks;  ///< 0 = nobody knows
  const char* collective;
  double last_busbw;
};
constexpr Log logs[] = {{"01", 16, 16, "all_reduce", 187.22},
                        {"03", 9, 16, "all_reduce", 16.31},
                        {"05", 13, 2, "all_reduce", 14.97},
                        {"07", 13, 8, "all_reduce", 5.85},
                        {"09", 10, 16, "", 70.90},
                        {"12", 23, 64, "", 45.64},
                        {"13", 30, 16, "all_reduce", 188.53},
                        {"15", 13, 32, "all_reduce", 191.05},
                        {"16", 32, 8, "all_reduce", 479.90},
                        {"17", 29, 2, "all_reduce", 2.00},
                        {"22", 29, 16, "all_reduce", 78.33},
                        {"24", 6, 16, "all_reduce", 437.79},
                        {"26", 31, 16, "all_reduce", 78.92},
                        {"29", 6, 1440, "all_reduce", 405.74},
                        {"31", 11, 16, "", 50.17},
                        {"32", 31, 16, "all_reduce", 467.54},
                        {"33", 8, 2, "all_reduce", 22.86},
                        {"34", 18, 2, "broadcast", 3.77},
                        {"40", 29, 8, "", 223.39},
                        {"43", 32, 8, "broadcast", 232.81},
                        {"44", 6, 8, "all_reduce", 457.77},
                        {"52", 5, 16, "all_reduce", 358.37}};

}  // namespace

TEST_CASE("published logs have the rows that are in them", "[nccl_tests][validation]") {
  const auto data = test::reference_data();
  if (!data || !std::filesystem::exists(*data / "nccl-logs")) return;
  for (const auto& entry : std::filesystem::directory_iterator(*data / "nccl-logs")) {
    const std::string name = entry.path().filename().string();
    INFO(name);
    if (name.starts_with("08")) {  // its numbers are blanked
      CHECK_THAT(test::message_of([&] { load_measured_tables(entry.path()); }),
                 Catch::Matchers::Contains("'XXXXX' is no value"));
      continue;
    }
    const std::vector<MeasuredTable> tables = load_measured_tables(entry.path());
    REQUIRE(tables.size() == 1);
    for (const Log& log : logs) {
      if (!name.starts_with(log.number)) continue;
      CHECK(tables[0].rows.size() == log.rows);
      CHECK(tables[0].facts.ranks.value_or(0) == log.ranks);
      CHECK(tables[0].facts.collective == log.collective);
      CHECK(tables[0].rows.back().busbw_gbps == log.last_busbw);
    }
  }
}

TEST_CASE("published tables all read", "[nccl_tests][validation]") {
  const auto data = test::reference_data();
  if (!data || !std::filesystem::exists(*data / "nccl-tests")) return;
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(*data / "nccl-tests")) {
    if (entry.path().extension() != ".csv") continue;
    ++files;
    INFO(entry.path());
    const std::vector<MeasuredTable> tables = load_measured_tables(entry.path());
    CHECK(!tables[0].rows.empty());
    CHECK(!tables[0].facts.collective.empty());
  }
  CHECK(files > 0);
}
