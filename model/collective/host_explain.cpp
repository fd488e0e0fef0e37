#include "model/collective/host_explain.h"

#include <fmt/core.h>

#include <algorithm>

#include "model/collective/algorithm.h"
#include "sim/base/error.h"
#include "sim/base/quantity.h"

namespace dsim {

namespace {

constexpr std::int64_t largest = std::int64_t{1} << 40;

std::string size_text(std::int64_t bytes) {
  return format_binary_bytes(static_cast<double>(bytes));
}

}  // namespace

std::string_view host_source(Backend backend) {
  return backend == Backend::gloo
             ? "pytorch/gloo gloo/allreduce.cc and its neighbours; docs/nccl.md, CPU back ends"
             : "open-mpi/ompi coll_tuned_decision_fixed.c and coll/han; docs/nccl.md, CPU back "
               "ends";
}

std::string explain_host(Backend backend, const HostCall& call, OpenMpiVersion version,
                         bool bcube) {
  require(backend != Backend::nccl, "NCCL explains itself");
  const auto at = [&](std::int64_t bytes) {
    HostCall other = call;
    other.size = Bytes{bytes};
    return backend == Backend::gloo ? choose_gloo(other, bcube) : choose_open_mpi(other, version);
  };
  const HostChoice choice = at(call.size.count);
  const std::string library = backend == Backend::gloo
                                  ? "Gloo"
                                  : fmt::format("Open MPI {}.{}", version.major, version.minor);
  std::string out = fmt::format(
      "{} runs {} for {} of {}, {} ranks on {} node{}{}: {}{}.\n", library, choice.algorithm,
      name_of(call.op), size_text(call.size.count), call.ranks, call.nodes,
      call.nodes == 1 ? "" : "s",
      choice.segment.count > 0 ? fmt::format(", in segments of {}", size_text(choice.segment.count))
                               : "",
      choice.reason, choice.assumed ? " (assumed)" : "");
  std::int64_t below = call.size.count / 2, above = std::max<std::int64_t>(1, call.size.count) * 2;
  while (below > 0 && at(below).algorithm == choice.algorithm) below /= 2;
  while (above <= largest && at(above).algorithm == choice.algorithm) above *= 2;
  if (below > 0) out += fmt::format("At {} it is {}.\n", size_text(below), at(below).algorithm);
  out += above <= largest ? fmt::format("At {} it is {}.\n", size_text(above), at(above).algorithm)
                          : "No larger size is run otherwise.\n";
  return out + fmt::format("Rules: {}.\n", host_source(backend));
}

std::string explain_host(Backend backend, const HostCall& call, std::span<const Bytes> sizes) {
  require(backend != Backend::nccl, "NCCL explains itself");
  std::string out = fmt::format("{} chooses by fixed rules of size and ranks:\n",
                                backend == Backend::gloo ? "Gloo" : "Open MPI 5.0");
  std::string before;
  for (const Bytes size : sizes) {
    HostCall one = call;
    one.size = size;
    const HostChoice choice = backend == Backend::gloo ? choose_gloo(one) : choose_open_mpi(one);
    const std::string now = fmt::format("{}: {}{}", choice.algorithm, choice.reason,
                                        choice.assumed ? " (assumed)" : "");
    if (now != before) out += fmt::format("  from {:>9}  {}\n", size_text(size.count), now);
    before = now;
  }
  return out + fmt::format("Rules: {}.\n", host_source(backend));
}

}  // namespace dsim
