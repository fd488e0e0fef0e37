#include "model/strategy/ddp.h"

#include <fmt/format.h>

#include <map>
#include <numeric>

#include "model/strategy/ddp_step.h"
#include "sim/base/error.h"

namespace dsim {

namespace {

void check(const DdpRequest& request) {
  require(request.model && request.gpu && request.compute && request.host && request.optimizer,
          "a DDP request names its model, GPU, constants and optimizer");
  if (request.ranks == 0) throw InputError("a job needs at least one rank");
  if (request.accumulate < 1)
    throw InputError(fmt::format("cannot accumulate over {} micro-batches; at least 1 is needed",
                                 request.accumulate));
}

/// The slowdown of each rank, 1 where none is given.
std::vector<double> slowdowns(const DdpRequest& request) {
  std::vector<double> factors(request.ranks, 1);
  std::vector<bool> given(request.ranks, false);
  for (const auto& [rank, factor] : request.stragglers) {
    if (rank >= request.ranks)
      throw InputError(fmt::format("straggler {} does not exist: the job has ranks 0 to {}", rank,
                                   request.ranks - 1));
    if (!(factor > 0)) throw InputError(fmt::format("straggler {} needs a factor above 0", rank));
    if (given[rank]) throw InputError(fmt::format("straggler {} is given twice", rank));
    given[rank] = true;
    factors[rank] = factor;
  }
  return factors;
}

/// One class for ranks of equal speed, normal ones first, then by factor.
std::vector<RankClass> rank_classes(const DdpRequest& request) {
  std::map<double, std::vector<std::uint32_t>> by_factor;
  const std::vector<double> factors = slowdowns(request);
  for (std::uint32_t rank = 0; rank < request.ranks; ++rank)
    by_factor[factors[rank]].push_back(rank);

  std::vector<RankClass> classes;
  const auto add = [&classes](std::string name, double factor, std::vector<std::uint32_t> ranks) {
    classes.push_back({std::move(name), std::move(ranks), 0, 1 / factor});
  };
  if (const auto normal = by_factor.find(1); normal != by_factor.end()) {
    add(by_factor.size() == 1 ? "all ranks" : "other ranks", 1, std::move(normal->second));
    by_factor.erase(normal);
  }
  for (auto& [factor, ranks] : by_factor)
    add(fmt::format("stragglers x{:g}", factor), factor, ranks);
  return classes;
}

}  // namespace

Workload ddp_workload(const DdpRequest& request) {
  check(request);
  Workload workload;
  workload.classes = rank_classes(request);
  if (request.ranks > 1) {
    std::vector<std::uint32_t> all(request.ranks);
    std::iota(all.begin(), all.end(), 0u);
    workload.families.push_back({"data parallel", {std::move(all)}});
  }
  workload.programs.push_back(DdpStep(request, workload).write());
  return workload;
}

}  // namespace dsim
