#include "model/collective/round_stages.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "model/collective/algorithm.h"
#include "sim/base/error.h"

namespace dsim {

Teams everyone(std::uint32_t n, std::uint32_t blocks_each) {
  return {.count = 1,
          .size = n,
          .rank = [](std::uint32_t, std::uint32_t member) { return member; },
          .first_block = [blocks_each](std::uint32_t,
                                       std::uint32_t member) { return member * blocks_each; }};
}

namespace {

// Around a ring each member sends in round t the blocks of member m - lag - t.
Stage around_ring(Teams teams, Pieces cut, std::uint32_t lag, bool reduce) {
  Stage stage;
  stage.phases = {(teams.size - 1) * cut.pieces};
  if (teams.size == 1) stage.phases.clear();
  stage.transfers = [teams = std::move(teams), cut, lag, reduce](std::uint32_t round,
                                                                 std::vector<Transfer>& out) {
    const std::uint32_t n = teams.size, pieces = cut.pieces;
    const std::uint32_t step = cut.each_all_around ? round % (n - 1) : round / pieces;
    const std::uint32_t piece = cut.each_all_around ? round / (n - 1) : round % pieces;
    for (std::uint32_t team = 0; team < teams.count; ++team)
      for (std::uint32_t m = 0; m < n; ++m) {
        const std::uint32_t owner = (m + 2 * n - lag - step) % n;
        Transfer transfer = teams.transfer(team, m, (m + 1) % n, owner, owner + 1, reduce);
        transfer.block_count /= pieces;
        transfer.first_block += piece * transfer.block_count;
        out.push_back(transfer);
      }
  };
  return stage;
}

}  // namespace

Stage ring_reduce_scatter(Teams teams, Pieces pieces) {
  return around_ring(std::move(teams), pieces, 1, true);
}

Stage ring_all_gather(Teams teams, Pieces pieces) {
  return around_ring(std::move(teams), pieces, 0, false);
}

namespace {

using Bases = std::vector<std::uint32_t>;

// Round r is about digit r, most significant first: members of an aligned span of `wide` members
// hold the same range; `narrow` of them do after that digit.
struct DigitSpan {
  std::uint32_t wide, narrow;
};
DigitSpan span_of(const Bases& bases, std::uint32_t size, std::uint32_t digit) {
  std::uint32_t wide = size;
  for (std::uint32_t d = 0; d < digit; ++d) wide /= bases[d];
  return {wide, wide / bases[digit]};
}

Stage by_digits(Teams teams, Bases bases, bool scatter) {
  Stage stage;
  stage.phases.assign(bases.size(), 1);
  stage.transfers = [teams = std::move(teams), bases = std::move(bases), scatter](
                        std::uint32_t round, std::vector<Transfer>& out) {
    const auto digits = static_cast<std::uint32_t>(bases.size());
    const auto [wide, narrow] = span_of(bases, teams.size, scatter ? round : digits - 1 - round);
    for (std::uint32_t team = 0; team < teams.count; ++team)
      for (std::uint32_t m = 0; m < teams.size; ++m) {
        const std::uint32_t base = m / wide * wide, own = m % wide / narrow * narrow;
        for (std::uint32_t other = 0; other < wide; other += narrow) {
          if (other == own) continue;
          const std::uint32_t peer = base + other + m % narrow,
                              part = base + (scatter ? other : own);
          out.push_back(teams.transfer(team, m, peer, part, part + narrow, scatter));
        }
      }
  };
  return stage;
}

Bases twos(std::uint32_t size) {
  require(std::has_single_bit(size), "halving and doubling need a power of two");
  return Bases(static_cast<std::size_t>(std::countr_zero(size)), 2);
}

}  // namespace

Stage halving_reduce_scatter(Teams teams) {
  Bases bases = twos(teams.size);
  return by_digits(std::move(teams), std::move(bases), true);
}

Stage doubling_all_gather(Teams teams) {
  Bases bases = twos(teams.size);
  return by_digits(std::move(teams), std::move(bases), false);
}

Stage mixed_radix_reduce_scatter(Teams teams, Bases bases) {
  return by_digits(std::move(teams), std::move(bases), true);
}

Stage mixed_radix_all_gather(Teams teams, Bases bases) {
  return by_digits(std::move(teams), std::move(bases), false);
}

Stage doubling_all_reduce(Teams teams) {
  Stage stage;
  stage.phases.assign(twos(teams.size).size(), 1);
  stage.transfers = [teams = std::move(teams)](std::uint32_t round, std::vector<Transfer>& out) {
    for (std::uint32_t team = 0; team < teams.count; ++team)
      for (std::uint32_t m = 0; m < teams.size; ++m)
        out.push_back(teams.transfer(team, m, m ^ (1u << round), 0, teams.size, true));
  };
  return stage;
}

Stage single_round(std::function<void(std::vector<Transfer>& out)> fill) {
  return {{1}, [fill = std::move(fill)](std::uint32_t, std::vector<Transfer>& out) { fill(out); }};
}

std::uint32_t power_of_two_below(std::uint32_t n) { return std::bit_floor(n); }

std::uint32_t log2_up(std::uint32_t n) { return static_cast<std::uint32_t>(std::bit_width(n - 1)); }

std::vector<std::uint32_t> prime_factors(std::uint32_t n) {
  std::vector<std::uint32_t> factors;
  for (std::uint32_t p = 2; std::uint64_t{p} * p <= n; ++p)
    for (; n % p == 0; n /= p) factors.push_back(p);
  if (n > 1) factors.push_back(n);
  return factors;
}

Teams survivors(const Teams& teams) {
  Teams result = teams;
  result.size = power_of_two_below(teams.size);
  const std::uint32_t merged = teams.size - result.size;
  result.rank = [rank = teams.rank, merged](std::uint32_t team, std::uint32_t member) {
    return rank(team, member < merged ? 2 * member : member + merged);
  };
  return result;
}

std::vector<Stage> halving_doubling_all_reduce(const Teams& teams) {
  const Teams core = survivors(teams);
  const std::uint32_t all = core.size, merged = teams.size - all;
  std::vector<Stage> stages;
  // Transfers between the members of merged pairs, in the teams' own numbers.
  const auto between_pairs = [&teams, all, merged](auto fill) {
    return single_round([teams, all, merged, fill](std::vector<Transfer>& out) {
      for (std::uint32_t team = 0; team < teams.count; ++team)
        for (std::uint32_t i = 0; i < merged; ++i) fill(teams, team, 2 * i, 2 * i + 1, all, out);
    });
  };
  if (merged > 0) {
    stages.push_back(
        between_pairs([](const Teams& t, std::uint32_t team, std::uint32_t stays,
                         std::uint32_t leaves, std::uint32_t end, std::vector<Transfer>& out) {
          out.push_back(t.transfer(team, stays, leaves, end / 2, end, true));
          out.push_back(t.transfer(team, leaves, stays, 0, end / 2, true));
        }));
    stages.push_back(
        between_pairs([](const Teams& t, std::uint32_t team, std::uint32_t stays,
                         std::uint32_t leaves, std::uint32_t end, std::vector<Transfer>& out) {
          out.push_back(t.transfer(team, leaves, stays, end / 2, end, false));
        }));
  }
  stages.push_back(halving_reduce_scatter(core));
  stages.push_back(doubling_all_gather(core));
  if (merged > 0)
    stages.push_back(
        between_pairs([](const Teams& t, std::uint32_t team, std::uint32_t stays,
                         std::uint32_t leaves, std::uint32_t end, std::vector<Transfer>& out) {
          out.push_back(t.transfer(team, stays, leaves, 0, end, false));
        }));
  return stages;
}

RoundProgram in_sequence(std::uint32_t blocks, std::vector<Stage> stages) {
  RoundProgram program;
  program.blocks = blocks;
  std::vector<std::uint32_t> first;  // round of each stage
  for (const Stage& stage : stages) {
    first.push_back(program.rounds);
    for (const std::uint32_t rounds : stage.phases) {
      program.phases.push_back({program.rounds, rounds});
      program.rounds += rounds;
    }
  }
  program.transfers = [stages = std::move(stages), first = std::move(first)](
                          std::uint32_t round, std::vector<Transfer>& out) {
    out.clear();
    const auto stage = std::upper_bound(first.begin(), first.end(), round) - first.begin() - 1;
    stages[static_cast<std::size_t>(stage)].transfers(
        round - first[static_cast<std::size_t>(stage)], out);
  };
  return program;
}

RoundProgram without_bytes(RoundProgram program) {
  program.block_shares.assign(program.blocks, 0.0);
  return program;
}

Schedule rounds_schedule(const PlanRequest& request, Mechanics mechanics, RoundProgram program) {
  Schedule schedule;
  schedule.pattern = Pattern::rounds;
  schedule.mechanics = mechanics;
  schedule.ranks = request.communicator->size();
  schedule.nodes = static_cast<std::uint32_t>(request.communicator->nodes.size());
  schedule.channels =
      request.nccl ? static_cast<std::uint32_t>(std::max(1, request.nccl->channels)) : 1;
  schedule.rounds = program.rounds;
  schedule.blocks = program.blocks;
  schedule.first_connection.assign(schedule.channels + 1, 0);
  schedule.first_worker.assign(schedule.channels + 1, 0);
  schedule.program = std::move(program);
  return schedule;
}

}  // namespace dsim
