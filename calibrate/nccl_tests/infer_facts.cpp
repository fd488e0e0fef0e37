// What the numbers of a table alone tell of the run.
#include <fmt/format.h>

#include <cmath>

#include "calibrate/nccl_tests/run_facts.h"
#include "model/collective/data_type.h"
#include "sim/base/error.h"

namespace dsim {
namespace {

/// busbw / algbw of all rows together, and how exact it is; 0 if there is none.
struct Ratio {
  double value = 0, error = 1;
};

Ratio bus_ratio(const MeasuredTable& table) {
  double rows = 0, algbw = 0, busbw = 0;
  for (const MeasuredRow& row : table.rows) {
    if (!row.algbw_gbps || !row.busbw_gbps || *row.algbw_gbps < 0.1) continue;
    ++rows;
    algbw += *row.algbw_gbps;
    busbw += *row.busbw_gbps;
  }
  if (algbw <= 0) return {};
  // Both are printed with two decimals: each errs by 0.003 (one sigma), independently. Three sigma.
  return {busbw / algbw, 0.02 * std::sqrt(rows) / algbw};
}

std::int64_t element_bytes(const MeasuredRow& row) {
  try {
    return size_of(data_type_by_name(row.type)).count;
  } catch (const InputError&) {
    return 0;
  }
}

/// size = parts x count x bytes an element: 1 where every rank has the whole vector, else ranks.
std::int64_t parts_of(const MeasuredTable& table) {
  if (table.rows.empty()) return 0;
  const MeasuredRow& row = table.rows.back();  // the largest: small ones are rounded to 16 bytes
  const std::int64_t bytes = element_bytes(row);
  if (!row.count || *row.count <= 0 || bytes == 0) return 0;
  if (row.size_bytes % bytes != 0 || row.size_bytes / bytes % *row.count != 0) return 0;
  return row.size_bytes / bytes / *row.count;
}

/// Ranks of which the ratio is 2 (n - 1)/n, if it tells one number from the next.
std::optional<std::int64_t> ranks_of_all_reduce(const Ratio& ratio) {
  if (ratio.value <= 0 || ratio.value >= 2) return std::nullopt;
  const double ranks = 2 / (2 - ratio.value);
  const double whole = std::round(ranks);
  const double uncertainty = ranks * ranks / 2 * ratio.error;
  if (whole < 2 || uncertainty > 0.4 || std::abs(ranks - whole) > 0.05 + uncertainty)
    return std::nullopt;
  return static_cast<std::int64_t>(whole);
}

/// The collective that the columns and the ratio leave, or "".
std::string collective_of(const MeasuredTable& table, const Ratio& ratio, std::int64_t parts) {
  const MeasuredRow& row = table.rows.back();
  const bool rooted = row.root.value_or(-1) >= 0;
  if (row.redop == "sum") {
    if (parts > 1) return "reduce_scatter";
    if (rooted) return "reduce";
    return parts == 1 || ratio.value > 1.02 ? "all_reduce" : "";
  }
  // Tables of 2.9 have a column for the root only where there is one, and broadcast has no redop.
  if (parts == 1 && rooted) return "broadcast";
  if (parts == 1 && row.redop == "none") return "sendrecv";
  return "";  // all_gather and alltoall look alike
}

}  // namespace

void infer_facts(MeasuredTable& table) {
  MeasuredFacts& facts = table.facts;
  if (table.rows.empty()) return;
  if (!facts.hosts.empty() && !facts.nodes)
    facts.nodes = static_cast<std::int64_t>(facts.hosts.size());
  const Ratio ratio = bus_ratio(table);
  const std::int64_t parts = parts_of(table);
  if (facts.collective.empty()) {
    facts.collective = collective_of(table, ratio, parts);
    if (!facts.collective.empty())
      table.notices.push_back(fmt::format(
          "no line names the collective; its columns are those of {}", facts.collective));
    else if (parts > 1)
      table.notices.push_back(
          "no line names the collective; its columns are those of all_gather and of all_to_all");
  }
  if (facts.ranks) return;
  if (parts > 1) facts.ranks = parts;
  if (facts.collective == "all_reduce") facts.ranks = ranks_of_all_reduce(ratio);
  if (facts.ranks)
    table.notices.push_back(fmt::format(
        "no line says how many ranks took part; its numbers are those of {}", *facts.ranks));
}

}  // namespace dsim
