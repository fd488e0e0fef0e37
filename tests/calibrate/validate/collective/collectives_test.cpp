#include <catch2/catch.hpp>
#include <cmath>

#include "calibrate/validate/collective/collectives_report.h"
#include "calibrate/validate/collective/leave_one_out.h"

using namespace dsim;

namespace {

/// An all-reduce on one DGX A100 with these `size,time` rows.
CsvTable dgx_table(const std::string& rows, const std::string& header = "# healthy: yes\n",
                   const std::string& name = "dgx.csv") {
  return CsvTable::parse(
      header +
          "# source: github.com/someone/measured:log.txt\n# gpu: A100-SXM4-80GB\n"
          "# nodes: 1\n# gpus_per_node: 8\n# intra_link: NVSwitch (NVLink3)\n"
          "# inter_link: none (single node)\n# nccl_version: 2.21.5\n"
          "# collective: all_reduce\n# dtype: float\n"
          "size_bytes,time_us,algbw_gbps,busbw_gbps\n" +
          rows,
      name);
}

CollectiveValidation validated(std::vector<CsvTable> tables) {
  return validate_collectives(tables);
}

}  // namespace

TEST_CASE("what was measured has no say in what is predicted", "[collectives]") {
  const std::vector<CsvTable> one = [] {
    std::vector<CsvTable> t;
    t.push_back(dgx_table("8,20,0,0\n1048576,60,0,0\n1073741824,8000,0,0\n"));
    t.push_back(dgx_table("8,20000,0,0\n1048576,rubbish,0,0\n1073741824,,,0.50\n"));
    return t;
  }();
  const CollectiveValidation v = validate_collectives(one);
  REQUIRE(v.runs.size() == 2);
  for (std::size_t i = 0; i < 3; ++i) {
    INFO(v.runs[0].points[i].reason);
    CHECK(v.runs[0].points[i].predicted_s > 0);
    CHECK(v.runs[0].points[i].predicted_s == v.runs[1].points[i].predicted_s);
  }
  CHECK(v.runs[1].points[1].status == PointStatus::not_predictable);
  CHECK(v.runs[1].points[2].measured_s == Approx(1073741824 * 1.75 / .5e9));
}

TEST_CASE("a first row that holds connection setup is dropped and counted", "[collectives]") {
  std::vector<CsvTable> tables;
  tables.push_back(dgx_table("8,100,0,0\n16,20,0,0\n32,20,0,0\n"));
  tables.push_back(dgx_table("8,29,0,0\n16,20,0,0\n32,20,0,0\n"));
  const CollectiveValidation v = validate_collectives(tables);
  CHECK(v.count(PointStatus::setup) == 1);
  CHECK(v.overall().points == 5);
}

TEST_CASE("faulty and unknown machines are not in the closing line", "[collectives]") {
  std::vector<CsvTable> tables;
  tables.push_back(dgx_table("8,20,0,0\n"));
  tables.push_back(dgx_table("8,20,0,0\n", "# healthy: no\n"));
  tables.push_back(dgx_table("8,20,0,0\n", ""));
  const CollectiveValidation v = validate_collectives(tables);
  CHECK(v.overall().points == 1);
  CHECK(v.overall(Health::faulty).points == 1);
  CHECK(v.overall(Health::unknown).points == 1);
}

TEST_CASE("a table that no rule covers is counted with the reason", "[collectives]") {
  std::vector<CsvTable> tables;
  tables.push_back(
      CsvTable::parse("# gpu: Gaudi 3\n# nodes: 1\n# gpus_per_node: 8\n"
                      "# collective: all_reduce\nsize_bytes,time_us\n8,1\n16,1\n",
                      "g.csv"));
  const CollectiveValidation v = validate_collectives(tables);
  CHECK(v.not_predictable() == 2);
  REQUIRE(v.reasons().size() == 1);
  CHECK(v.reasons()[0].reason.find("Gaudi 3") != std::string::npos);
  CHECK(collectives_line(v) ==
        "median nan % p90 nan % worst nan % over 0 points (2 rows not predictable)");
}

TEST_CASE("every face of the validation ends in the same figures", "[collectives]") {
  std::vector<CsvTable> tables;
  tables.push_back(dgx_table("8,20,0,0\n1048576,60,0,0\n1073741824,8000,0,0\n"));
  const CollectiveValidation v = validate_collectives(tables);
  const std::string line = collectives_line(v);
  CHECK(collectives_text(v).ends_with("\n" + line + "\n"));
  CHECK(collectives_markdown(v).ends_with("\n" + line + "\n"));
  CHECK(collectives_json(v).find(line) != std::string::npos);
  const std::string csv = collectives_csv(v);
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 4);
  CHECK(v.free_constants() > 0);
  for (const ConstantInUse& use : v.constants) {
    INFO(use.name);
    CHECK_FALSE(use.constant.source.empty());
  }
}

TEST_CASE("sizes fall into three classes", "[collectives]") {
  CHECK(size_class(65535) == "< 64 KiB");
  CHECK(size_class(65536) == "64 KiB to 16 MiB");
  CHECK(size_class(16777216) == "64 KiB to 16 MiB");
  CHECK(size_class(16777217) == "> 16 MiB");
}

TEST_CASE("a machine left out is predicted by what the others teach", "[collectives]") {
  // Three publishers with the same node type, whose times are all 1.3 times the prediction.
  std::vector<CsvTable> tables;
  const std::string rows = "1024,1,0,0\n262144,1,0,0\n16777216,1,0,0\n1073741824,1,0,0\n";
  CollectiveValidation first = validated([&] {
    std::vector<CsvTable> t;
    t.push_back(dgx_table(rows));
    return t;
  }());
  std::string slower;
  for (const ComparedPoint& point : first.runs[0].points)
    slower +=
        std::to_string(point.bytes) + "," + std::to_string(point.predicted_s * 1.3e6) + ",0,0\n";
  for (const char* site : {"a", "b", "c"}) {
    std::string header = "# healthy: yes\n# source: github.com/";
    tables.push_back(dgx_table(slower, header + site + "/logs\n", site));
  }
  CollectiveValidation v = validate_collectives(tables);
  REQUIRE(v.overall().points == 12);
  leave_one_out(v);
  REQUIRE(v.left_out);
  for (const MeasuredRun& run : v.runs)
    for (const ComparedPoint& point : run.points) {
      INFO(point.bytes);
      CHECK(point.left_out_s > point.predicted_s);
      CHECK(point.left_out_s < 1.05 * point.measured_s);
    }
  CHECK(left_out_groups(v)[0].left_out.median < left_out_groups(v)[0].published.median);
}
