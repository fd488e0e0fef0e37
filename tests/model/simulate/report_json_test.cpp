#include "model/simulate/report_json.h"

#include <rapidjson/document.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "tests/support/sample_report.h"

using namespace dsim;

namespace {
rapidjson::Document parse(const std::string& text) {
  rapidjson::Document document;
  document.Parse<rapidjson::kParseFullPrecisionFlag>(text.c_str());
  REQUIRE_FALSE(document.HasParseError());
  return document;
}
}  // namespace

TEST_CASE("A report as JSON has the stable keys with the values of the report") {
  const Report report = support::sample_report();
  const auto json = parse(report_json(report));
  CHECK(json["format"] == "dsim.report/1");
  for (const char* key : {"step_time_s",
                          "step_time_low_s",
                          "step_time_high_s",
                          "forward_s",
                          "backward_s",
                          "optimizer_s",
                          "exposed_communication_s",
                          "bubble_s",
                          "launch_s",
                          "input_s",
                          "wait_s",
                          "compute_s",
                          "throughput",
                          "throughput_unit",
                          "mfu",
                          "scaling_efficiency",
                          "scaling_efficiency_node",
                          "peak_memory_bytes",
                          "memory_capacity_bytes",
                          "fits",
                          "gpus",
                          "rank_classes",
                          "bottleneck",
                          "inputs"}) {
    CAPTURE(key);
    CHECK(json.HasMember(key));
  }
  CHECK(json["step_time_s"].GetDouble() == 0.2);
  CHECK(json["compute_s"].GetDouble() == Approx(0.16));
  CHECK(json["throughput_unit"] == "sequences/s");
  CHECK(json["peak_memory_bytes"].GetInt64() == 38LL * 1024 * 1024 * 1024);
  CHECK(json["fits"].GetBool());
  CHECK(json["global_batch"].GetInt64() == 32 * 512);
  CHECK(json["bottleneck"]["resource"] == "NIC uplink");
  CHECK(json["bottleneck"]["load"].GetDouble() == 0.55);
  CHECK(json["inputs"]["fitted"].GetInt() == 1);
  CHECK(json["inputs"]["measured"].GetInt() == 0);
  CHECK(json["buckets"].Size() == 27);
  CHECK(json["elasticities"][0]["kind"] == "constant");
}

TEST_CASE("The eight parts in the JSON sum to the step time") {
  const auto json = parse(report_json(support::sample_report()));
  double sum = 0;
  for (const char* key : {"forward_s", "backward_s", "optimizer_s", "exposed_communication_s",
                          "bubble_s", "launch_s", "input_s", "wait_s"})
    sum += json[key].GetDouble();
  CHECK(sum == Approx(json["step_time_s"].GetDouble()).epsilon(1e-12));
}

TEST_CASE("What is unknown or not a number is null, with its reason") {
  Report report = support::sample_report();
  report.scaling_efficiency.reset();
  report.scaling_efficiency_reason = "one GPU cannot hold the \"model\"";
  report.mfu = std::nan("");
  report.step_time_high_s = std::numeric_limits<double>::infinity();
  report.tokens_per_s = 0;
  const auto json = parse(report_json(report));
  CHECK(json["scaling_efficiency"].IsNull());
  CHECK(json["scaling_efficiency_reason"] == "one GPU cannot hold the \"model\"");
  CHECK(json["mfu"].IsNull());
  CHECK(json["step_time_high_s"].IsNull());
  CHECK(json["tokens_per_s"].IsNull());
}

TEST_CASE("Scaling as JSON is a list of reports with their efficiency against the first") {
  Scaling scaling{ScalingMode::weak, {support::sample_report(), support::sample_report()}};
  scaling.points[0].gpus = 8;
  scaling.points[0].throughput = 1600;  // 200 a GPU
  scaling.points[1].gpus = 16;
  scaling.points[1].throughput = 2400;  // 150 a GPU
  const auto json = parse(scaling_json(scaling));
  CHECK(json["format"] == "dsim.scale/1");
  CHECK(json["scaling"] == "weak");
  REQUIRE(json["points"].Size() == 2);
  CHECK(json["points"][0]["efficiency_to_first"].GetDouble() == 1);
  CHECK(json["points"][1]["efficiency_to_first"].GetDouble() == 0.75);
  CHECK(json["points"][1]["format"] == "dsim.report/1");
}
