#include "model/collective/report/collective_text.h"

#include <catch2/catch.hpp>
#include <string>

#include "model/collective/report/collective_json.h"
#include "tests/support/sample_collective.h"

using namespace dsim;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using support::sample_collective;

TEST_CASE("the table has nccl-tests' columns and ours behind them", "[collective_report]") {
  CHECK_THAT(
      collective_table(sample_collective()),
      Contains(
          "#       size         count      type   redop    root     time   algbw   busbw #wrong    "
          " time   "
          "algbw   busbw #wrong      low     high  algorithm  proto   nch   limit  bottleneck\n") &&
          Contains("        1024           256     float     sum      -1    20.00    0.05    0.10  "
                   "  N/A    20.00    "
                   "0.05    0.10    N/A    18.00    22.00  Tree       LL        1       -  latency "
                   "(extrapolated)\n") &&
          Contains("  1073741824     268435456     float     sum      -1  4000.00  268.44  503.32  "
                   "  N/A  4000.00  "
                   "268.44  503.32    N/A  3600.00  4400.00  Ring       Simple   16  800.00  NIC "
                   "(node0.nic3 -> "
                   "leaf3)\n"));
}

TEST_CASE("the heading says what was simulated", "[collective_report]") {
  CollectiveReport report = sample_collective();
  report.rank_list = "0-30:2";
  report.forced = {"NCCL_ALGO=Tree"};
  CHECK_THAT(
      collective_heading(report),
      StartsWith("# dsim collective: all_reduce simulated, 16 ranks on 2 nodes (GPUs 0-30:2)\n"
                 "# 2 × DGX H100 (8 × NVLink4, 8 × 400 Gb/s), single switch\n"
                 "# NCCL version 2.27.3, 16 coll channels, 8 nvls channels, NCCL_ALGO=Tree, "
                 "fidelity fluid, routing spray\n"));
}

TEST_CASE("closing lines: average, peak against its limit, extrapolation, inputs",
          "[collective_report]") {
  const std::string text = collective_closing(sample_collective());
  CHECK_THAT(text, Contains("# Avg bus bandwidth    : 180.91"));
  CHECK_THAT(
      text,
      Contains("503 GB/s at 1G: 62.9 % of the 800 GB/s that NIC (node0.nic3 -> leaf3) allows"));
  CHECK_THAT(text, Contains("1 of 3 rows, 1K to 1K: outside what the constants were fitted on"));
  CHECK_THAT(text, Contains("10 fitted, 0 published, 1 assumed (PCIe efficiency)"));
}

TEST_CASE("a job beside shows the slow-down of both", "[collective_report]") {
  CollectiveReport report = sample_collective();
  report.points.resize(1);
  report.points[0].beside = {30e-6, 8e-3};
  report.beside = {{"all_gather of 1G on GPUs 0-7", 4e-3}};
  const std::string text = collective_closing(report);
  CHECK_THAT(text, Contains("1.50 x"));
  CHECK_THAT(text, Contains("2.00 x"));
  CHECK_THAT(text, Contains("all_gather of 1G on GPUs 0-7"));
}

TEST_CASE("the choice a line a size says where it switches", "[collective_report]") {
  CollectiveReport report = sample_collective();
  for (CollectivePoint& point : report.points) {
    NcclChoice& choice = point.prediction.choice;
    choice.algorithm = point.prediction.algorithm->name;
    choice.protocol = point.prediction.protocol;
    choice.microseconds = 10;
    choice.estimates = {{choice.algorithm, choice.protocol, 4, 5, 10, true, ""},
                        {"nvls", Protocol::simple, 4, 5, 12.5, true, ""}};
  }
  const std::string text = choice_text(report);
  CHECK_THAT(text, Contains("<- switches from Tree/LL\n"));
  CHECK_THAT(text, Contains("<- switches from Tree/LL128\n"));
  CHECK_THAT(text, Contains("NVLS/Simple"));
}

TEST_CASE("JSON has the stable keys and no number that JSON has not", "[collective_report]") {
  CollectiveReport report = sample_collective();
  report.points[1].prediction.seconds = std::numeric_limits<double>::infinity();
  const std::string json = collective_json(report);
  CHECK_THAT(
      json,
      StartsWith("{\n  \"format\": \"dsim.collective/1\",\n  \"collective\": \"all_reduce\""));
  for (const char* key :
       {"size_bytes", "time_us", "time_low_us", "time_high_us", "algbw_gbps", "busbw_gbps",
        "algorithm", "protocol", "channels", "bottleneck", "limit_busbw_gbps"})
    CHECK_THAT(json, Contains("\"" + std::string(key) + "\": "));
  CHECK_THAT(json, Contains("\"time_us\": null"));
  CHECK_THAT(json, !Contains("inf"));
}
