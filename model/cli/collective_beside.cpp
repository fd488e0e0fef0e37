#include "model/cli/collective_beside.h"

#include <fmt/format.h>

#include <array>

#include "model/cli/collective_flags.h"
#include "model/collective/report/collective_report.h"
#include "model/collective/report/ranks.h"
#include "model/collective/report/sizes.h"
#include "sim/base/error.h"
#include "sim/base/quantity.h"
#include "sim/base/spelling.h"

namespace dsim {
namespace {

constexpr std::array<std::string_view, 8> keys{"op",   "size",      "ranks",    "dtype",
                                               "root", "algorithm", "protocol", "start"};

/// Pairs of "key=value,key=value"; a value may hold commas ("ranks=0,8,op=...").
std::vector<std::pair<std::string, std::string>> pairs_of(const std::string& text) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    const std::size_t equals = part.find('=');
    if (equals != std::string::npos)
      pairs.emplace_back(part.substr(0, equals), part.substr(equals + 1));
    else if (!pairs.empty())
      pairs.back().second += "," + part;
    else
      throw InputError(fmt::format(
          "--beside '{}': expected key=value pairs such as op=all_gather,size=1G,ranks=0-7", text));
    begin = end + 1;
  }
  return pairs;
}

void apply(ConcurrentCollective& other, const std::string& key, const std::string& value) {
  if (key == "op") {
    other.query.op = collective_by_name(value);
  } else if (key == "size") {
    const std::vector<Bytes> sizes = parse_collective_sizes("--beside size", value);
    if (sizes.size() != 1)
      throw InputError(fmt::format("--beside size={}: expected one size", value));
    other.query.size = sizes.front();
  } else if (key == "ranks") {
    other.setup.ranks = parse_ranks("--beside ranks", value, other.setup.topology->gpu_count());
  } else if (key == "dtype") {
    other.query.type = data_type_by_name(value);
  } else if (key == "root") {
    const std::vector<GpuId> root =
        parse_ranks("--beside root", value == "0" ? "0,1" : "0," + value, other.setup.ranks.size());
    other.query.root = value == "0" ? 0 : root.back().value;
  } else if (key == "algorithm") {
    other.setup.algorithm = value;
  } else if (key == "protocol") {
    other.setup.protocol = protocol_by_name(value);
  } else if (key == "start") {
    const std::optional<Time> start = parse_time(value);
    if (!start) throw InputError("--beside start: " + explain_time(value));
    other.start = *start;
  } else {
    throw InputError(unknown_name("key of --beside", key, keys));
  }
}

std::string title_of(const ConcurrentCollective& other) {
  std::string title =
      fmt::format("{} of {} on GPUs {}", name_of(other.query.op),
                  collective_size_text(other.query.size), ranks_text(other.setup.ranks));
  if (other.start > Time{}) title += fmt::format(" from {}", format_time(other.start.seconds()));
  return title;
}

}  // namespace

ConcurrentCollective parse_beside(const std::string& text, const CollectiveSetup& setup,
                                  const CollectiveQuery& query) {
  ConcurrentCollective other{setup, query, Time{}};
  other.setup.algorithm.clear();
  other.query.root = 0;
  for (const auto& [key, value] : pairs_of(text)) apply(other, key, value);
  if (other.query.size.count == 0)
    throw InputError(fmt::format("--beside '{}': its size is missing (size=1G)", text));
  if (other.query.root >= other.setup.ranks.size())
    throw InputError(fmt::format("--beside '{}': root {} is no rank", text, other.query.root));
  if (!other.setup.algorithm.empty())
    other.setup.algorithm = algorithm_for(other.setup.algorithm, other.query.op);
  const auto ranks = static_cast<std::uint32_t>(other.setup.ranks.size());
  other.query.size = element_count(other.query.op, other.query.size, other.query.type, ranks).size;
  if (other.query.size.count == 0)
    throw InputError(
        fmt::format("--beside '{}': too small for whole elements on every rank", text));
  return other;
}

void run_beside(CollectiveReport& report, const CollectiveSetup& setup,
                const CollectiveQuery& query, const std::vector<ConcurrentCollective>& others) {
  for (const ConcurrentCollective& other : others)
    report.beside.push_back(
        {title_of(other), CollectivePredictor(other.setup).predict(other.query).seconds});
  for (CollectivePoint& point : report.points) {
    std::vector<ConcurrentCollective> all{{setup, query, Time{}}};
    all.front().query.size = point.size;
    all.insert(all.end(), others.begin(), others.end());
    point.beside = run_concurrently(all, setup.fidelity);
  }
}

}  // namespace dsim
