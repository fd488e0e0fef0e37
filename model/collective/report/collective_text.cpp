#include "model/collective/report/collective_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "model/collective/report/algorithm_names.h"
#include "model/collective/report/sizes.h"
#include "model/simulate/text_layout.h"
#include "sim/base/quantity.h"

namespace dsim {
namespace {

constexpr std::size_t width = 116;  // of nccl-tests' own rows

/// nccl-tests gives a number seven columns and as many decimals as fit, at most two.
std::string number(double value, int columns, double most_with_two) {
  return fmt::format("{:>{}.{}f}", value, columns,
                     value < most_with_two        ? 2
                     : value < most_with_two * 10 ? 1
                                                  : 0);
}
std::string time_text(double seconds) { return number(seconds * 1e6, 7, 1e4); }
std::string rate_text(double bytes_per_second) { return number(bytes_per_second * 1e-9, 6, 1e3); }

std::string plural(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", format_count(static_cast<double>(count)), noun,
                     count == 1 ? "" : "s");
}

std::string lines_with_hash(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += (line.empty() ? "#" : "# " + line) + "\n";
  return text;
}

/// Words in lines that begin with #.
std::string paragraph(std::string_view head, const std::string& text) {
  return lines_with_hash(wrap_text(head, text, width - 2));
}

std::string library_line(const CollectiveReport& report) {
  std::vector<std::string> items;
  if (report.backend == "nccl") {
    items.push_back("NCCL version " + report.version);
    items.push_back(fmt::format("{} coll channels", report.channels));
    items.push_back(report.nvls_channels > 0 ? fmt::format("{} nvls channels", report.nvls_channels)
                                             : "no NVLS");
  } else {
    items.push_back(report.backend == "gloo"  ? "Gloo"
                    : report.backend == "mpi" ? "MPI"
                                              : report.backend);
  }
  for (const std::string& forced : report.forced) items.push_back(forced);
  items.push_back("fidelity " + report.fidelity);
  items.push_back("routing " + report.routing);
  return lines_with_hash(wrap_items("", items, ", ", width - 2));
}

std::string heading_lines(const CollectiveReport& report) {
  std::string who = fmt::format("dsim collective: {} simulated, {} on {}", name_of(report.op),
                                plural(report.ranks, "rank"), plural(report.nodes, "node"));
  if (!report.rank_list.empty()) who += fmt::format(" (GPUs {})", report.rank_list);
  return lines_with_hash({who}) + paragraph("", report.topology) + library_line(report);
}

std::string column_notes() {
  return paragraph("",
                   "in place is simulated as out of place; limit: busbw if the bottleneck alone "
                   "worked at its nominal rate") +
         "#\n";
}

std::string row(const CollectiveReport& report, const CollectivePoint& point,
                std::size_t name_width) {
  const CollectivePrediction& p = point.prediction;
  const std::string half = fmt::format("  {}  {}  {}  {:>5}", time_text(p.seconds),
                                       rate_text(p.algbw), rate_text(p.busbw), "N/A");
  const std::string_view algorithm = p.algorithm ? nccl_spelling(p.algorithm->name) : "-";
  std::string text = fmt::format("{:>12}  {:>12}  {:>8}  {:>6}  {:>6}", point.size.count,
                                 point.count, name_of(report.type), redop_of(report.op),
                                 has_root(report.op) ? static_cast<int>(report.root) : -1);
  text += half + half;
  text += fmt::format("  {}  {}  {:<{}}  {:<6}  {:>3}  {}  {}", time_text(p.low), time_text(p.high),
                      algorithm, name_width, name_of(p.protocol), p.channels,
                      p.limit_busbw > 0 ? rate_text(p.limit_busbw) : "     -",
                      p.bottleneck.empty() ? "-" : p.bottleneck);
  if (p.extrapolated) text += " (extrapolated)";
  return text + "\n";
}

std::size_t widest_algorithm(const CollectiveReport& report) {
  std::size_t widest = 9;  // "algorithm"
  for (const CollectivePoint& point : report.points)
    if (point.prediction.algorithm)
      widest = std::max(widest, nccl_spelling(point.prediction.algorithm->name).size());
  return widest;
}

/// The row that comes nearest to its limit, or null.
const CollectivePoint* best_point(const CollectiveReport& report) {
  const CollectivePoint* best = nullptr;
  for (const CollectivePoint& point : report.points)
    if (!best || point.prediction.busbw > best->prediction.busbw) best = &point;
  return best;
}

std::string limit_sentence(const CollectiveReport& report) {
  const CollectivePoint* best = best_point(report);
  if (!best) return "";
  const CollectivePrediction& p = best->prediction;
  const std::string peak = fmt::format("{} at {}", format_bandwidth_bytes(Bandwidth{p.busbw}),
                                       collective_size_text(best->size));
  if (p.limit_busbw <= 0 || p.bottleneck.empty()) return peak;
  const std::string share = format_percent(p.busbw / p.limit_busbw);
  const std::string limit = format_bandwidth_bytes(Bandwidth{p.limit_busbw});
  if (p.bottleneck == "latency" || p.bottleneck == "CTAs" || p.bottleneck == "channels")
    return fmt::format("{}: {} of the {} that the links allow, held back by {}", peak, share, limit,
                       p.bottleneck);
  return fmt::format("{}: {} of the {} that {} allows", peak, share, limit, p.bottleneck);
}

std::string extrapolated_sentence(const CollectiveReport& report) {
  std::vector<Bytes> sizes;
  for (const CollectivePoint& point : report.points)
    if (point.prediction.extrapolated) sizes.push_back(point.size);
  if (sizes.empty()) return "";
  if (sizes.size() == report.points.size())
    return "every row: outside what the constants were fitted on (16 nodes, 512 ranks, 16 GiB)";
  return fmt::format("{} of {} rows, {} to {}: outside what the constants were fitted on",
                     sizes.size(), report.points.size(), collective_size_text(sizes.front()),
                     collective_size_text(sizes.back()));
}

std::string inputs_sentence(const CollectiveReport& report) {
  std::string text =
      fmt::format("constants: {} measured, {} fitted, {} published, {} assumed", report.inputs[0],
                  report.inputs[1], report.inputs[2], report.inputs[3]);
  for (std::size_t i = 0; i < std::min<std::size_t>(report.assumed.size(), 4); ++i)
    text += fmt::format("{}{}", i == 0 ? " (" : ", ", report.assumed[i]);
  if (report.assumed.size() > 4) text += ", ...";
  return report.assumed.empty() ? text : text + ")";
}

std::string beside_table(const CollectiveReport& report) {
  std::string text = "#\n# With the others at work:\n";
  std::vector<std::vector<std::string>> rows{
      {"size", "collective", "alone", "together", "slow-down"}};
  for (const CollectivePoint& point : report.points) {
    for (std::size_t i = 0; i < point.beside.size(); ++i) {
      const double alone = i == 0 ? point.prediction.seconds : report.beside[i - 1].alone;
      rows.push_back({i == 0 ? collective_size_text(point.size) : "",
                      i == 0 ? std::string(name_of(report.op)) : report.beside[i - 1].title,
                      format_time(alone), format_time(point.beside[i]),
                      fmt::format("{:.2f} x", alone > 0 ? point.beside[i] / alone : 1)});
    }
  }
  std::string lines = table(rows, {1});
  for (std::size_t begin = 0; begin < lines.size();) {
    const std::size_t end = lines.find('\n', begin);
    text += "#   " + lines.substr(begin, end - begin) + "\n";
    begin = end == std::string::npos ? lines.size() : end + 1;
  }
  return text;
}

}  // namespace

std::string collective_heading(const CollectiveReport& report) { return heading_lines(report); }

std::string collective_table(const CollectiveReport& report) {
  const std::size_t names = widest_algorithm(report);
  std::string text = heading_lines(report) + column_notes();
  text += fmt::format("#{:>73}{:>31}{:>27}\n", "out-of-place", "in-place", "90 % interval");
  constexpr std::string_view half = "     time   algbw   busbw #wrong",
                             units = "     (us)  (GB/s)  (GB/s)       ";
  text += fmt::format(
      "# {:>10}  {:>12}  {:>8}  {:>6}  {:>6}{}{}      low     high  {:<{}}  {:<6}  nch   limit  "
      "bottleneck\n",
      "size", "count", "type", "redop", "root", half, half, "algorithm", names, "proto");
  text += fmt::format(
      "# {:>10}  {:>12}  {:>8}  {:>6}  {:>6}{}{}     (us)     (us)  {:<{}}  {:<6}       (GB/s)\n",
      "(B)", "(elements)", "", "", "", units, units, "", names, "");
  for (const CollectivePoint& point : report.points) text += row(report, point, names);
  return text;
}

std::string collective_closing(const CollectiveReport& report) {
  std::string text = fmt::format("# Avg bus bandwidth    : {:.6g}\n", average_busbw(report));
  const std::string limit = limit_sentence(report), extrapolated = extrapolated_sentence(report);
  if (!limit.empty()) text += paragraph("Peak bus bandwidth   : ", limit);
  if (!extrapolated.empty()) text += paragraph("Extrapolated         : ", extrapolated);
  text += paragraph("Rests on             : ", inputs_sentence(report));
  for (const std::string& notice : report.notices)
    text += paragraph("Note                 : ", notice);
  if (!report.beside.empty()) text += beside_table(report);
  return text;
}

std::string collective_lines(const CollectiveReport& report) {
  std::vector<std::vector<std::string>> rows;
  for (const CollectivePoint& point : report.points) {
    const CollectivePrediction& p = point.prediction;
    rows.push_back({collective_size_text(point.size), format_time(p.seconds),
                    format_bandwidth_bytes(Bandwidth{p.busbw}),
                    fmt::format("{}/{}", p.algorithm ? nccl_spelling(p.algorithm->name) : "-",
                                name_of(p.protocol))});
  }
  return table(rows, {3});
}

}  // namespace dsim
