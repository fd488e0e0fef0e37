#include "model/strategy/rank_classes.h"

#include <fmt/format.h>

#include <map>

#include "sim/base/error.h"

namespace dsim {

namespace {

/// The slowdown of each rank, 1 where none is given.
std::vector<double> slowdowns(const TrainingRequest& request) {
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

void add_stage(const std::string& name, std::uint32_t stage,
               std::map<double, std::vector<std::uint32_t>> by_factor,
               std::vector<RankClass>& classes) {
  const auto add = [&](std::string of, double factor, std::vector<std::uint32_t> ranks) {
    if (!name.empty()) of = name + (of == "all ranks" ? "" : ", " + of);
    classes.push_back({std::move(of), std::move(ranks), stage, 1 / factor});
  };
  if (const auto normal = by_factor.find(1); normal != by_factor.end()) {
    add(by_factor.size() == 1 ? "all ranks" : "other ranks", 1, std::move(normal->second));
    by_factor.erase(normal);
  }
  for (auto& [factor, ranks] : by_factor)
    add(fmt::format("stragglers x{:g}", factor), factor, ranks);
}

}  // namespace

std::vector<RankClass> rank_classes(const TrainingRequest& request, const RankGrid& grid) {
  const std::vector<double> factors = slowdowns(request);
  const std::uint32_t stages = grid.parallelism().pipeline;
  std::vector<RankClass> classes;
  for (std::uint32_t stage = 0; stage < stages; ++stage) {
    std::map<double, std::vector<std::uint32_t>> by_factor;
    for (const std::uint32_t rank : grid.stage(stage)) by_factor[factors[rank]].push_back(rank);
    add_stage(stages == 1 ? "" : fmt::format("stage {}", stage), stage, std::move(by_factor),
              classes);
  }
  return classes;
}

}  // namespace dsim
