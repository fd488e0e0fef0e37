#include "model/simulate/report_csv.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <sstream>
#include <vector>

#include "tests/support/sample_report.h"

using namespace dsim;

namespace {

/// A reader of RFC 4180, independent of the writer.
std::vector<std::vector<std::string>> read_csv(const std::string& text) {
  std::vector<std::vector<std::string>> rows(1, std::vector<std::string>(1));
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c != '"')
        rows.back().back() += c;
      else if (i + 1 < text.size() && text[i + 1] == '"')
        rows.back().back() += text[++i];
      else
        quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == ',') {
      rows.back().emplace_back();
    } else if (c == '\n') {
      if (i + 1 < text.size()) rows.emplace_back(1);
    } else {
      rows.back().back() += c;
    }
  }
  return rows;
}

std::string cell(const std::vector<std::vector<std::string>>& rows, std::size_t row,
                 const std::string& column) {
  const auto at = std::find(rows[0].begin(), rows[0].end(), column);
  REQUIRE(at != rows[0].end());
  return rows[row][static_cast<std::size_t>(at - rows[0].begin())];
}

}  // namespace

TEST_CASE("CSV has one header row and one row a report, all of the same width") {
  std::vector<Report> reports{support::sample_report(), support::sample_report()};
  reports[1].gpus = 1024;
  reports[1].scaling_efficiency.reset();
  const auto rows = read_csv(reports_csv(reports));
  REQUIRE(rows.size() == 3);
  CHECK(rows[1].size() == rows[0].size());
  CHECK(rows[2].size() == rows[0].size());
  CHECK(cell(rows, 1, "gpus") == "512");
  CHECK(cell(rows, 2, "gpus") == "1024");
  CHECK(cell(rows, 1, "step_time_s") == "0.2");
  CHECK(cell(rows, 1, "scaling_efficiency") == "0.941");
  CHECK(cell(rows, 2, "scaling_efficiency").empty());
  CHECK(cell(rows, 1, "topology") == reports[0].topology);  // has commas
}
