#include "calibrate/nccl_tests/comparison.h"

#include <catch2/catch.hpp>
#include <string>

#include "calibrate/nccl_tests/read_tables.h"
#include "model/collective/report/collective_json.h"
#include "model/collective/report/collective_text.h"
#include "tests/support/sample_collective.h"

using namespace dsim;
using Catch::Matchers::Contains;
using support::sample_collective;

namespace {

MeasuredTable measured(std::vector<MeasuredRow> rows) {
  MeasuredTable table;
  table.source = "run.log";
  table.line = 3;
  table.facts.collective = "all_reduce";
  table.facts.ranks = 16;
  table.rows = std::move(rows);
  return table;
}

MeasuredRow row(std::int64_t size, std::optional<double> time_us) {
  MeasuredRow result;
  result.size_bytes = size;
  result.time_us = time_us;
  return result;
}

}  // namespace

TEST_CASE("our own table, JSON and CSV are read as they were printed", "[nccl_tests]") {
  const CollectiveReport report = sample_collective();
  const std::string text = GENERATE_COPY(collective_table(report) + collective_closing(report),
                                         collective_json(report), collective_csv(report));
  const std::vector<MeasuredTable> tables = read_measured_tables(text, "own");
  REQUIRE(tables.size() == 1);
  const MeasuredFacts& facts = tables[0].facts;
  CHECK(facts.collective == "all_reduce");
  CHECK(facts.ranks == 16);
  CHECK(facts.nodes == 2);
  CHECK(facts.nccl_version == "2.27.3");
  REQUIRE(tables[0].rows.size() == report.points.size());
  for (std::size_t i = 0; i < report.points.size(); ++i) {
    const MeasuredRow& read = tables[0].rows[i];
    const CollectivePrediction& printed = report.points[i].prediction;
    CHECK(read.size_bytes == report.points[i].size.count);
    CHECK(read.type == "float");
    CHECK(read.time_us.value() == Approx(printed.seconds * 1e6).epsilon(1e-9));
    CHECK(read.algbw_gbps.value() == Approx(printed.algbw * 1e-9).margin(0.005));
    CHECK(read.busbw_gbps.value() == Approx(printed.busbw * 1e-9).margin(0.005));
  }
}

TEST_CASE("our table gives back the channels that it states", "[nccl_tests]") {
  const auto tables = read_measured_tables(collective_table(sample_collective()), "own");
  CHECK(tables[0].facts.coll_channels == 16);
  CHECK(tables[0].facts.nvls_channels == 8);
}

TEST_CASE("errors are predicted over measured less one", "[nccl_tests]") {
  const CollectiveReport report = sample_collective();
  const CollectiveComparison comparison =
      compare(measured({row(1 << 10, 40.0), row(1 << 20, 48.0), row(1 << 30, 3200.0)}), report);
  REQUIRE(comparison.rows.size() == 3);
  CHECK(comparison.rows[0].error == Approx(-0.5));
  CHECK(comparison.rows[1].error == Approx(50.0 / 48 - 1));
  CHECK(comparison.rows[2].error == Approx(0.25));
  CHECK(comparison.rows[1].inside);
  CHECK(!comparison.rows[0].inside);
  CHECK(comparison.summary.median == Approx(0.25));
  CHECK(comparison.summary.worst == Approx(0.5));
  CHECK_THAT(comparison_text(comparison),
             Contains("-50.0 %") && Contains("1 of 3 inside") && Contains("median 25.0 %"));
}

TEST_CASE("a time that was not published follows from the bandwidth", "[nccl_tests]") {
  MeasuredRow bare = row(1 << 20, std::nullopt);
  CHECK(!measured_time_us(bare, CollectiveOp::all_reduce, 16));
  bare.busbw_gbps = 37.5;  // 1.048576e6 B x 1.875 / 37.5e9 B/s
  CHECK(measured_time_us(bare, CollectiveOp::all_reduce, 16).value() == Approx(52.4288));
  bare.algbw_gbps = 10;
  CHECK(measured_time_us(bare, CollectiveOp::all_reduce, 16).value() == Approx(104.8576));
  CHECK_THAT(comparison_text(compare(measured({row(1 << 20, std::nullopt)}), sample_collective())),
             Contains("neither time nor bandwidth") && Contains("No size in common"));
}

TEST_CASE("where machine and file differ is said", "[nccl_tests]") {
  MeasuredTable table = measured({row(1 << 20, 50.0), row(1 << 21, 60.0)});
  table.facts.ranks = 8;
  table.facts.gpu = "NVIDIA A100-SXM4-40GB";
  table.facts.nccl_version = "2.18.3";
  table.facts.coll_channels = 24;
  table.facts.environment = {{"NCCL_ALGO", "RING"}, {"NCCL_IB_HCA", "mlx5"}};
  std::string notices;
  for (const std::string& notice : compare(table, sample_collective()).notices)
    notices += notice + "\n";
  CHECK_THAT(notices, Contains("the file has 8 ranks, simulated are 16"));
  CHECK_THAT(notices, Contains("measured on NVIDIA A100-SXM4-40GB, simulated is H100 SXM 80 GB"));
  CHECK_THAT(notices, Contains("the file ran NCCL 2.18.3, simulated is 2.27.3"));
  CHECK_THAT(notices, Contains("NCCL found 24 channels there, simulated are 16"));
  CHECK_THAT(notices, Contains("the file ran with NCCL_ALGO=RING (give"));
  CHECK_THAT(notices, Contains("1 measured sizes are not among --sizes"));
}
