#include "model/collective/all_to_all_rounds.h"

#include <fmt/format.h>

#include "model/collective/round_stages.h"
#include "sim/base/error.h"

namespace dsim {

std::string counts_unfit(const PlanRequest& request) {
  if (request.counts.empty()) return "";
  const std::size_t n = request.communicator->size();
  if (request.op != CollectiveOp::all_to_all) return "only all_to_all takes unequal parts";
  if (request.counts.size() != n * n)
    return fmt::format("unequal parts for {} ranks are {} numbers, not {}", n, n * n,
                       request.counts.size());
  for (std::size_t i = 0; i < n * n; ++i)
    if (request.counts[i] < 0)
      return fmt::format("rank {} cannot send {} bytes to rank {}", i / n, request.counts[i],
                         i % n);
  return "";
}

std::string unequal_unfit(const PlanRequest& request, std::string_view algorithm) {
  if (request.counts.empty()) return "";
  return fmt::format("{} needs equal parts; pairwise and direct take unequal ones", algorithm);
}

RoundProgram all_to_all_program(const PlanRequest& request, bool one_peer_a_round) {
  const std::uint32_t n = request.communicator->size();
  const bool unequal = !request.counts.empty();
  std::vector<double> shares;
  if (unequal) {
    require(counts_unfit(request).empty(), "counts must be checked before planning");
    require(request.size.count > 0, "unequal parts need a size to be shares of");
    for (const std::int64_t count : request.counts)
      shares.push_back(static_cast<double>(count) / static_cast<double>(request.size.count));
  }
  Stage stage;
  if (one_peer_a_round)
    stage.phases.assign(n, 1);
  else
    stage.phases = {1};
  stage.transfers = [=](std::uint32_t round, std::vector<Transfer>& out) {
    const std::uint32_t first = one_peer_a_round ? round : 0;
    for (std::uint32_t from = 0; from < n; ++from)
      for (std::uint32_t d = first; d < (one_peer_a_round ? first + 1 : n); ++d) {
        const std::uint32_t to = from < n - d ? from + d : from - (n - d);
        const std::uint32_t block = unequal ? from * n + to : d;
        if (!unequal || shares[block] > 0) out.push_back({from, to, block, 1, false});
      }
  };
  std::vector<Stage> stages;
  stages.push_back(std::move(stage));
  RoundProgram program = in_sequence(unequal ? n * n : n, std::move(stages));
  program.block_shares = shares;
  return program;
}

}  // namespace dsim
