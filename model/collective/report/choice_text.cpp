#include <fmt/format.h>

#include <vector>

#include "model/collective/report/algorithm_names.h"
#include "model/collective/report/collective_text.h"
#include "model/collective/report/sizes.h"
#include "model/simulate/text_layout.h"

namespace dsim {
namespace {

std::string chosen(const NcclChoice& choice) {
  return fmt::format("{}/{}", nccl_spelling(choice.algorithm), name_of(choice.protocol));
}

/// The best estimate but the winner, or null.
const NcclEstimate* runner_up(const NcclChoice& choice) {
  const NcclEstimate* second = nullptr;
  for (const NcclEstimate& estimate : choice.estimates) {
    if (!estimate.possible ||
        (estimate.algorithm == choice.algorithm && estimate.protocol == choice.protocol))
      continue;
    if (!second || estimate.microseconds < second->microseconds) second = &estimate;
  }
  return second;
}

std::string line_table(const CollectiveReport& report) {
  std::vector<std::vector<std::string>> rows{
      {"size", "chosen", "estimate (us)", "next best", "estimate (us)", ""}};
  std::string before;
  for (const CollectivePoint& point : report.points) {
    const NcclChoice& choice = point.prediction.choice;
    const NcclEstimate* second = runner_up(choice);
    const std::string now = chosen(choice);
    rows.push_back(
        {collective_size_text(point.size), now, fmt::format("{:.2f}", choice.microseconds),
         second ? fmt::format("{}/{}", nccl_spelling(second->algorithm), name_of(second->protocol))
                : "-",
         second ? fmt::format("{:.2f}", second->microseconds) : "-",
         !before.empty() && now != before ? "<- switches from " + before : ""});
    before = now;
  }
  return table(rows, {1, 3, 5});
}

}  // namespace

std::string choice_text(const CollectiveReport& report) {
  if (report.points.empty()) return "";
  if (report.points.front().prediction.choice.estimates.empty())
    return fmt::format("NCCL runs {} as sends and receives in one group: nothing is estimated.\n",
                       name_of(report.op));
  return fmt::format(
             "NCCL's estimates for {} (they choose; the times above are simulated). One size "
             "alone shows the whole table.\n",
             name_of(report.op)) +
         line_table(report);
}

}  // namespace dsim
