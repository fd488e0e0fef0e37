#include <fmt/format.h>

#include <string_view>

#include "model/collective/report/collective_json.h"

namespace dsim {
namespace {

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + '"';
}

}  // namespace

std::string collective_csv(const CollectiveReport& report) {
  std::string text = fmt::format(
      "# source: dsim collective (simulated)\n# collective: {}\n# topology: {}\n# gpu: {}\n# "
      "ranks: {}\n"
      "# nodes: {}\n# nccl_version: {}\n# dtype: {}\n# fidelity: {}\n",
      name_of(report.op), report.topology, report.gpu, report.ranks, report.nodes,
      report.version.empty() ? "unknown" : report.version, name_of(report.type), report.fidelity);
  text +=
      "size_bytes,time_us,algbw_gbps,busbw_gbps,time_low_us,time_high_us,algorithm,protocol,"
      "channels,"
      "bottleneck,limit_busbw_gbps\n";
  for (const CollectivePoint& point : report.points) {
    const CollectivePrediction& p = point.prediction;
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{}\n", point.size.count, p.seconds * 1e6,
                        p.algbw * 1e-9, p.busbw * 1e-9, p.low * 1e6, p.high * 1e6,
                        p.algorithm ? p.algorithm->name : "", name_of(p.protocol), p.channels,
                        csv_field(p.bottleneck),
                        p.limit_busbw > 0 ? fmt::format("{}", p.limit_busbw * 1e-9) : "");
  }
  return text;
}

}  // namespace dsim
