#include "model/collective/nccl/tuning_filter.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <span>

#include "sim/base/error.h"
#include "sim/base/spelling.h"

namespace dsim {

namespace {

constexpr std::array<std::string_view, nccl_algorithm_count> algorithm_names = {
    "Tree", "Ring", "CollNetDirect", "CollNetChain", "NVLS", "NVLSTree", "PAT"};
constexpr std::array<std::string_view, 3> protocol_names = {"LL", "LL128", "Simple"};
// ncclFuncStr, and the operation each is.
constexpr std::array<std::string_view, 5> function_names = {"Broadcast", "Reduce", "AllGather",
                                                            "ReduceScatter", "AllReduce"};
constexpr std::array<CollectiveOp, 5> functions = {
    CollectiveOp::broadcast, CollectiveOp::reduce, CollectiveOp::all_gather,
    CollectiveOp::reduce_scatter, CollectiveOp::all_reduce};

bool same(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

// Cuts the text before the next `separator` off.
std::string_view take(std::string_view& text, char separator) {
  const std::size_t at = text.find(separator);
  const std::string_view head = text.substr(0, at);
  text = at == std::string_view::npos ? std::string_view{} : text.substr(at + 1);
  return head;
}

struct List {
  std::string_view key;   // NCCL_ALGO
  std::string_view what;  // "algorithm"
  std::span<const std::string_view> names;
};

// Bits of one name; "CollNet" meant both ways before 2.14.
std::uint8_t bits_of(const List& list, std::string_view name, const NcclVersion& version) {
  for (std::size_t i = 0; i < list.names.size(); ++i) {
    if (!same(name, list.names[i])) continue;
    const NcclVersion first = list.what == "algorithm"
                                  ? first_version(static_cast<NcclAlgorithm>(i))
                                  : NcclVersion{2, 7, 0};
    if (version < first)
      throw InputError(fmt::format("{}: NCCL has {} from {}.{} on, this is {}", list.key,
                                   list.names[i], first.major, first.minor, to_string(version)));
    return static_cast<std::uint8_t>(1u << i);
  }
  if (list.what == "algorithm" && same(name, "CollNet") && version < NcclVersion{2, 14, 0})
    return 1u << static_cast<int>(NcclAlgorithm::collnet_direct) |
           1u << static_cast<int>(NcclAlgorithm::collnet_chain);
  throw InputError(fmt::format("{}: {}", list.key, unknown_name(list.what, name, list.names)));
}

// The bits that a value of NCCL_ALGO or NCCL_PROTO leaves for an operation; nullopt if it does not
// speak of it.
std::optional<std::uint8_t> parse(const List& list, std::string_view value,
                                  const NcclSettings& settings, CollectiveOp op) {
  std::optional<std::uint8_t> result;
  bool first = true;
  while (!value.empty()) {
    std::string_view entry = take(value, ';');
    bool applies = true;
    if (const std::size_t colon = entry.find(':'); colon != std::string_view::npos) {
      if (!tuning_rules(settings.version).filter_functions)
        throw InputError(
            fmt::format("{}: lists for single operations are known from 2.24 on, this "
                        "is {}",
                        list.key, to_string(settings.version)));
      const std::string_view function = take(entry, ':');
      const auto known = std::find_if(function_names.begin(), function_names.end(),
                                      [&](std::string_view n) { return same(n, function); });
      if (known == function_names.end())
        throw InputError(
            fmt::format("{}: {}", list.key, unknown_name("operation", function, function_names)));
      applies = functions[static_cast<std::size_t>(known - function_names.begin())] == op;
    } else if (!first) {
      throw InputError(
          fmt::format("{}: only the first list may stand without an operation", list.key));
    }
    first = false;
    const bool except = entry.starts_with('^');
    if (except) entry.remove_prefix(1);
    if (entry.empty()) throw InputError(fmt::format("{}: an empty list", list.key));
    std::uint8_t bits = 0;
    while (!entry.empty()) bits |= bits_of(list, take(entry, ','), settings.version);
    if (applies) result = except ? static_cast<std::uint8_t>(~bits) : bits;
  }
  return result;
}

}  // namespace

NcclVersion first_version(NcclAlgorithm algorithm) {
  switch (algorithm) {
    case NcclAlgorithm::nvls:
      return {2, 17, 0};
    case NcclAlgorithm::nvls_tree:
      return {2, 18, 0};
    case NcclAlgorithm::pat:
      return {2, 23, 0};
    case NcclAlgorithm::collnet_direct:
    case NcclAlgorithm::collnet_chain:
      return {2, 14, 0};
    default:
      return {2, 7, 0};
  }
}

TuningFilter tuning_filter(const NcclSettings& settings, CollectiveOp op) {
  TuningFilter filter;
  if (!settings.algo.empty())
    if (const auto bits =
            parse({"NCCL_ALGO", "algorithm", algorithm_names}, settings.algo, settings, op)) {
      filter.algorithms = *bits;
      filter.algorithms_given = true;
    }
  if (!settings.proto.empty())
    if (const auto bits =
            parse({"NCCL_PROTO", "protocol", protocol_names}, settings.proto, settings, op)) {
      filter.protocols = *bits;
      filter.protocols_given = true;
    }
  return filter;
}

}  // namespace dsim
