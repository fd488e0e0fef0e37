#include "model/collective/nccl/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "model/collective/algorithm.h"
#include "sim/base/quantity.h"

namespace dsim {

namespace {

// nccl-tests sweeps end far below; beyond it no choice changes.
constexpr std::int64_t largest = std::int64_t{1} << 40;

std::string pair_name(std::string_view algorithm, Protocol protocol) {
  return fmt::format("{} {}", algorithm, name_of(protocol));
}

std::string pair_name(const NcclChoice& choice) {
  return pair_name(choice.algorithm, choice.protocol);
}

double transfer(const NcclEstimate& e) { return e.microseconds - e.latency_us; }

std::string cell(const NcclEstimate& e, const NcclChoice& choice) {
  if (e.bandwidth_gbps <= 0) return "-";
  const bool winner = e.algorithm == choice.algorithm && e.protocol == choice.protocol;
  return fmt::format("{}{:.1f} ({:.1f} + {:.1f})",
                     winner       ? "* "
                     : e.possible ? ""
                                  : "x ",
                     e.microseconds, e.latency_us, transfer(e));
}

void write_table(std::string& out, const NcclChoice& choice) {
  constexpr std::size_t columns = nccl_protocol_count;
  std::size_t width[columns] = {2, 5, 6};
  for (std::size_t i = 0; i < choice.estimates.size(); ++i)
    width[i % columns] = std::max(width[i % columns], cell(choice.estimates[i], choice).size());
  const auto row = [&](std::string_view first, const std::string(&cells)[columns]) {
    std::string line = fmt::format("  {:<15}", first);
    for (std::size_t p = 0; p < columns; ++p) line += fmt::format("  {:>{}}", cells[p], width[p]);
    out += line + "\n";
  };
  row("us", {"LL", "LL128", "Simple"});
  for (std::size_t i = 0; i + columns <= choice.estimates.size(); i += columns) {
    const auto* e = &choice.estimates[i];
    if (std::all_of(e, e + columns, [](const NcclEstimate& x) { return x.bandwidth_gbps <= 0; }))
      continue;
    row(e->algorithm, {cell(e[0], choice), cell(e[1], choice), cell(e[2], choice)});
  }
  out += "  estimate (latency + transfer); * chosen, x not allowed, - not there\n";
}

const NcclEstimate* winner_of(const NcclChoice& choice) {
  for (const NcclEstimate& e : choice.estimates)
    if (e.algorithm == choice.algorithm && e.protocol == choice.protocol) return &e;
  return nullptr;
}

void write_margin(std::string& out, const NcclChoice& choice) {
  const NcclEstimate* first = winner_of(choice);
  const NcclEstimate* second = nullptr;
  for (const NcclEstimate& e : choice.estimates)
    if (&e != first && e.possible && (second == nullptr || e.microseconds < second->microseconds))
      second = &e;
  if (first == nullptr) return;
  if (second == nullptr) {
    out += "Nothing else is possible.\n";
    return;
  }
  const double latency = second->latency_us - first->latency_us;
  const double move = transfer(*second) - transfer(*first);
  out += fmt::format(
      "The next is {} at {:.1f} us, {:.1f} % more. {} decides: latency {:.1f} against {:.1f} us, "
      "transfer {:.1f} against {:.1f} us ({:.0f} against {:.0f} GB/s).\n",
      pair_name(second->algorithm, second->protocol), second->microseconds,
      100 * (second->microseconds / first->microseconds - 1),
      latency >= move ? "Latency" : "Bandwidth", first->latency_us, second->latency_us,
      transfer(*first), transfer(*second), first->bandwidth_gbps, second->bandwidth_gbps);
}

// One line a reason, with the algorithms it concerns; a protocol is named where others are
// possible.
void write_impossible(std::string& out, const NcclChoice& choice) {
  std::vector<std::pair<std::string_view, std::string>> reasons;
  for (std::size_t i = 0; i < choice.estimates.size(); ++i) {
    const NcclEstimate& e = choice.estimates[i];
    if (e.possible) continue;
    const std::size_t start = i - i % nccl_protocol_count;
    const auto* row = &choice.estimates[start];
    const bool alike = std::none_of(row, row + nccl_protocol_count,
                                    [](const NcclEstimate& x) { return x.possible; });
    // What an algorithm does only with Simple is no news where Simple itself is impossible.
    if (alike && e.protocol != Protocol::simple) continue;
    // That NVLS and the like have one protocol is no restriction.
    if (!alike && e.bandwidth_gbps <= 0) continue;
    const std::string name = alike ? std::string(e.algorithm) : pair_name(e.algorithm, e.protocol);
    const auto known = std::find_if(reasons.begin(), reasons.end(),
                                    [&](const auto& r) { return r.first == e.reason; });
    if (known == reasons.end())
      reasons.emplace_back(e.reason, name);
    else
      known->second += ", " + name;
  }
  if (reasons.empty()) return;
  out += "Not possible:\n";
  for (const auto& [reason, names] : reasons) out += fmt::format("  {}: {}\n", names, reason);
}

}  // namespace

std::string explain_nccl(const NcclGraphs& graphs, const NcclMachine& machine,
                         const NcclSettings& settings, CollectiveOp op, Bytes size, DataType type) {
  const auto at = [&](std::int64_t bytes) {
    return choose_nccl(graphs, machine, settings, op, Bytes{bytes}, type);
  };
  const NcclChoice choice = at(size.count);
  const std::string text_size = format_binary_bytes(static_cast<double>(size.count));
  std::string out;
  if (machine.ranks < 2) return "One rank: NCCL copies, there is nothing to choose.\n";
  if (choice.estimates.empty())
    return fmt::format(
        "NCCL {} runs {} as sends and receives in one group: nothing is estimated. {} of {}: {}.\n",
        to_string(settings.version), name_of(op), text_size, name_of(type), pair_name(choice));

  out += fmt::format(
      "NCCL {} chooses {} for {} of {} ({}), {} ranks on {} node{}: {:.1f} us by its "
      "own estimate.\n",
      to_string(settings.version), pair_name(choice), name_of(op), text_size, name_of(type),
      machine.ranks, machine.nodes, machine.nodes == 1 ? "" : "s", choice.microseconds);
  write_table(out, choice);
  write_margin(out, choice);
  write_impossible(out, choice);
  if (!choice.notice.empty()) out += fmt::format("{}.\n", choice.notice);

  // Sizes of nccl-tests' sweeps: doublings.
  std::int64_t below = size.count / 2, above = std::max<std::int64_t>(size.count, 1) * 2;
  while (below > 0 && pair_name(at(below)) == pair_name(choice)) below /= 2;
  while (above <= largest && pair_name(at(above)) == pair_name(choice)) above *= 2;
  if (below > 0)
    out += fmt::format("At {} and below it is {}.\n",
                       format_binary_bytes(static_cast<double>(below)), pair_name(at(below)));
  out += above <= largest
             ? fmt::format("From {} on it is {}.\n",
                           format_binary_bytes(static_cast<double>(above)), pair_name(at(above)))
             : "No larger size is run otherwise.\n";
  return out;
}

}  // namespace dsim
