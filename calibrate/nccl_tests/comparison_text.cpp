#include <fmt/format.h>

#include <cmath>

#include "calibrate/nccl_tests/comparison.h"
#include "model/collective/report/algorithm_names.h"
#include "model/simulate/text_layout.h"
#include "sim/base/quantity.h"
#include "sim/base/source_line.h"

namespace dsim {
namespace {

constexpr std::size_t width = 100;

std::string rate(double gbps) { return fmt::format("{:.2f}", gbps); }
std::string signed_percent(double fraction) { return fmt::format("{:+.1f} %", fraction * 100); }

/// JSON string of printable text.
std::string json_string(const std::string& text) {
  std::string result = "\"";
  for (const char c : printable(text)) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

std::string number(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "null";
}

}  // namespace

std::string comparison_text(const CollectiveComparison& comparison) {
  std::string text;
  const auto say = [&](std::string_view head, const std::string& words) {
    for (const std::string& line : wrap_text(head, words, width)) text += line + "\n";
  };
  say("Measured   ",
      fmt::format("{}: {}", printable(comparison.source), printable(comparison.what)));
  for (const std::string& notice : comparison.notices) say("Note       ", printable(notice));
  std::vector<std::vector<std::string>> rows{{"size (B)", "measured", "GB/s", "predicted", "GB/s",
                                              "error", "", "90 % interval", "chosen"}};
  std::size_t inside = 0;
  for (const ComparedRow& row : comparison.rows) {
    const CollectivePrediction& p = row.point->prediction;
    inside += row.inside;
    rows.push_back({fmt::format("{}", row.point->size.count), format_time(row.measured_us * 1e-6),
                    rate(row.measured_busbw_gbps), format_time(p.seconds), rate(p.busbw * 1e-9),
                    signed_percent(row.error), row.inside ? "" : "!",
                    fmt::format("{} … {}", format_time(p.low), format_time(p.high)),
                    fmt::format("{}/{}", p.algorithm ? nccl_spelling(p.algorithm->name) : "-",
                                name_of(p.protocol))});
  }
  if (comparison.rows.empty()) return text + "No size in common.\n";
  text += "\n" + table(rows, {6, 8}) + "\n";
  text += "GB/s: busbw. error: predicted/measured - 1 of the time.\n";
  const bool all = static_cast<std::size_t>(inside) == comparison.rows.size();
  text += fmt::format("{} of {} inside the 90 % interval{}\n", inside, comparison.rows.size(),
                      all ? "" : ", the others marked !");
  return text + closing_line(comparison.summary, 0) + "\n";
}

std::string comparisons_json(const std::vector<CollectiveComparison>& comparisons) {
  std::string text = "[";
  for (const CollectiveComparison& comparison : comparisons) {
    text += fmt::format("{}{{\"source\": {}, \"run\": {}, \"rows\": [", text.size() > 1 ? ", " : "",
                        json_string(comparison.source), json_string(comparison.what));
    for (const ComparedRow& row : comparison.rows)
      text += fmt::format(
          "{}{{\"size_bytes\": {}, \"measured_us\": {}, \"measured_busbw_gbps\": {}, "
          "\"predicted_us\": {}, \"predicted_busbw_gbps\": {}, \"error\": {}, \"inside\": {}}}",
          &row == comparison.rows.data() ? "" : ", ", row.point->size.count,
          number(row.measured_us), number(row.measured_busbw_gbps),
          number(row.point->prediction.seconds * 1e6), number(row.point->prediction.busbw * 1e-9),
          number(row.error), row.inside);
    const ErrorSummary& s = comparison.summary;
    text += fmt::format(
        "], \"points\": {}, \"median\": {}, \"p90\": {}, \"worst\": {}, \"bias\": {}, \"notices\": "
        "[",
        s.points, number(s.median), number(s.p90), number(s.worst), number(s.bias));
    for (const std::string& notice : comparison.notices)
      text += (&notice == comparison.notices.data() ? "" : ", ") + json_string(notice);
    text += "]}";
  }
  return text + "]";
}

}  // namespace dsim
