#include "calibrate/nccl_tests/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "calibrate/nccl_tests/log_line.h"

namespace dsim {
namespace {

std::string run_in_words(const MeasuredFacts& facts) {
  std::vector<std::string> parts;
  if (!facts.collective.empty()) parts.push_back(facts.collective);
  if (facts.ranks)
    parts.push_back(facts.nodes ? fmt::format("{} ranks on {} node{}", *facts.ranks, *facts.nodes,
                                              *facts.nodes == 1 ? "" : "s")
                                : fmt::format("{} ranks", *facts.ranks));
  if (!facts.gpu.empty()) parts.push_back(facts.gpu);
  if (!facts.nccl_version.empty()) parts.push_back("NCCL " + facts.nccl_version);
  if (!facts.network.empty()) parts.push_back("network " + facts.network);
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text.empty() ? "the file says nothing of the run" : text;
}

/// "H100" of "NVIDIA H100 80GB HBM3": the word that names a product of ours, in upper case.
bool same_gpu(std::string_view theirs, std::string_view ours) {
  const auto product = [](std::string_view text) {
    std::string result;
    for (const std::string_view word : log_words(text))
      for (const std::string_view part : {word.substr(0, word.find('-'))})
        if (part.size() >= 3 && std::isalpha(static_cast<unsigned char>(part[0])) &&
            std::any_of(part.begin(), part.end(),
                        [](unsigned char c) { return std::isdigit(c); }) &&
            result.empty())
          result = part;
    return result;
  };
  const std::string a = product(theirs), b = product(ours);
  return a.empty() || b.empty() || a == b;
}

void check_machine(const MeasuredFacts& facts, const CollectiveReport& report,
                   std::vector<std::string>& notices) {
  if (!facts.collective.empty() && facts.collective != name_of(report.op))
    notices.push_back(
        fmt::format("the file measured {}, simulated is {}", facts.collective, name_of(report.op)));
  if (facts.ranks && *facts.ranks != report.ranks)
    notices.push_back(fmt::format("the file has {} ranks, simulated are {} (--ranks or --gpus)",
                                  *facts.ranks, report.ranks));
  else if (facts.nodes && *facts.nodes != report.nodes)
    notices.push_back(fmt::format("the file has its ranks on {} nodes, simulated are {}",
                                  *facts.nodes, report.nodes));
  if (!facts.gpu.empty() && !same_gpu(facts.gpu, report.gpu))
    notices.push_back(
        fmt::format("the file was measured on {}, simulated is {}", facts.gpu, report.gpu));
  if (!facts.nccl_version.empty() && !report.version.empty() &&
      facts.nccl_version != report.version)
    notices.push_back(fmt::format("the file ran NCCL {}, simulated is {} (--nccl-version)",
                                  facts.nccl_version, report.version));
  if (facts.coll_channels && report.channels > 0 && *facts.coll_channels != report.channels)
    notices.push_back(fmt::format("NCCL found {} channels there, simulated are {}",
                                  *facts.coll_channels, report.channels));
  std::string environment;
  for (const auto& [key, value] : facts.environment)
    if (key == "NCCL_ALGO" || key == "NCCL_PROTO" || key.ends_with("CHANNELS") ||
        key.ends_with("CTAS") || key == "NCCL_BUFFSIZE" || key == "NCCL_CROSS_NIC" ||
        key == "NCCL_NVLS_ENABLE" || key == "NCCL_PXN_DISABLE")
      environment += fmt::format("{}{}={}", environment.empty() ? "" : " ", key, value);
  if (!environment.empty() && report.forced.empty())
    notices.push_back(
        fmt::format("the file ran with {} (give them as --nccl KEY=VALUE)", environment));
}

}  // namespace

std::optional<double> measured_time_us(const MeasuredRow& row, CollectiveOp op,
                                       std::uint32_t ranks) {
  if (row.time_us && *row.time_us > 0) return row.time_us;
  const double kilobytes = static_cast<double>(row.size_bytes) * 1e-3;  // GB/s and us make kB
  if (row.algbw_gbps && *row.algbw_gbps > 0) return kilobytes / *row.algbw_gbps;
  if (row.busbw_gbps && *row.busbw_gbps > 0)
    return kilobytes * busbw_factor(op, ranks) / *row.busbw_gbps;
  return std::nullopt;
}

CollectiveComparison compare(const MeasuredTable& measured, const CollectiveReport& report) {
  CollectiveComparison comparison;
  comparison.source = fmt::format("{}:{}", measured.source, measured.line);
  comparison.what = run_in_words(measured.facts);
  comparison.notices = measured.notices;
  check_machine(measured.facts, report, comparison.notices);
  std::vector<double> ratios;
  std::size_t without_time = 0, without_prediction = 0;
  for (const MeasuredRow& row : measured.rows) {
    const auto point =
        std::find_if(report.points.begin(), report.points.end(),
                     [&](const CollectivePoint& p) { return p.size.count == row.size_bytes; });
    const std::optional<double> time = measured_time_us(row, report.op, report.ranks);
    if (!time) {
      ++without_time;
      continue;
    }
    if (point == report.points.end()) {
      ++without_prediction;
      continue;
    }
    ComparedRow compared{&*point, *time, row.busbw_gbps.value_or(0), 0, false};
    if (!row.busbw_gbps)
      compared.measured_busbw_gbps = static_cast<double>(row.size_bytes) * 1e-3 / *time *
                                     busbw_factor(report.op, report.ranks);
    const CollectivePrediction& p = point->prediction;
    compared.error = p.seconds * 1e6 / *time - 1;
    compared.inside = p.low * 1e6 <= *time && *time <= p.high * 1e6;
    comparison.rows.push_back(compared);
    ratios.push_back(1 + compared.error);
  }
  if (without_time > 0)
    comparison.notices.push_back(
        fmt::format("{} measured rows have neither time nor bandwidth", without_time));
  if (without_prediction > 0)
    comparison.notices.push_back(
        fmt::format("{} measured sizes are not among --sizes", without_prediction));
  comparison.summary = summarise(ratios);
  return comparison;
}

}  // namespace dsim
