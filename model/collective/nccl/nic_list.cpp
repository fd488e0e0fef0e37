#include "model/collective/nccl/nic_list.h"

#include <fmt/core.h>

#include <string>

#include "sim/base/error.h"
#include "sim/base/spelling.h"

namespace dsim {

namespace {

// What Linux drivers call NICs before the index: NVIDIA, ours, Slingshot, EFA, Broadcom, Intel.
constexpr std::string_view drivers[] = {"mlx5_", "nic", "hsn", "cxi", "efa_", "bnxt_re", "irdma"};

bool is(std::string_view name, std::size_t nic, bool whole) {
  for (const std::string_view driver : drivers) {
    const std::string full = fmt::format("{}{}", driver, nic);
    if (whole ? full == name : full.starts_with(name)) return true;
  }
  return false;
}

}  // namespace

std::vector<std::size_t> nics_of_list(std::string_view list, std::size_t nics) {
  const std::string_view given = list;
  const bool except = list.starts_with('^');
  if (except) list.remove_prefix(1);
  const bool whole = list.starts_with('=');
  if (whole) list.remove_prefix(1);
  std::vector<bool> named(nics, false);
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    std::string_view name = list.substr(0, comma);
    list = comma == std::string_view::npos ? std::string_view{} : list.substr(comma + 1);
    name = name.substr(0, name.find(':'));  // a port of the NIC
    bool found = false;
    for (std::size_t i = 0; i < nics; ++i)
      if (!name.empty() && is(name, i, whole)) found = named[i] = true;
    if (found) continue;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < nics; ++i) names.push_back(fmt::format("mlx5_{}", i));
    const std::vector<std::string_view> known(names.begin(), names.end());
    throw InputError(fmt::format("NCCL_IB_HCA: {}", unknown_name("NIC", name, known)));
  }
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < nics; ++i)
    if (named[i] != except) result.push_back(i);
  if (result.empty())
    throw InputError(fmt::format("NCCL_IB_HCA={} leaves no NIC of {}", given, nics));
  return result;
}

}  // namespace dsim
