#include "model/collective/rounds_fluid.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <unordered_map>
#include <utility>

namespace dsim {

namespace {

// More bunches a phase cost time and change little: beside another collective, 8 of them are within
// a few per cent of all rounds (tests).
constexpr std::uint32_t most_parts = 8;

// What ranks add in a round, and the most of any of them.
void note_added(const std::vector<Message>& messages, std::uint32_t ranks, PhasePlan& plan) {
  std::vector<double> shares(ranks, 0);
  std::vector<std::uint32_t> counts(ranks, 0);
  for (const Message& message : messages)
    if (message.reduce) {
      shares[message.to] += message.share;
      ++counts[message.to];
    }
  plan.added = *std::max_element(shares.begin(), shares.end());
  plan.added_messages = *std::max_element(counts.begin(), counts.end());
}

}  // namespace

std::vector<PhasePlan> plan_phases(const Schedule& schedule, const PathOf& path,
                                   std::size_t resources) {
  const RoundProgram& program = schedule.program;
  std::vector<PhasePlan> result;
  std::vector<Message> messages;
  std::vector<double> copies;
  PhasePlan::Load nothing;
  nothing.share = 0;
  std::vector<PhasePlan::Load> on(resources, nothing);
  std::vector<std::uint32_t> touched;
  MessagePath way;
  std::vector<std::uint32_t> sent(schedule.ranks);  // to other nodes
  for (const RoundPhase& phase : program.phases) {
    std::fill(sent.begin(), sent.end(), 0u);
    messages_of_round(program, schedule.ranks, phase.first_round, messages, copies);
    PhasePlan& plan = result.emplace_back();
    plan.rounds = phase.rounds;
    for (const double share : copies) plan.copied = std::max(plan.copied, share);
    note_added(messages, schedule.ranks, plan);
    touched.clear();
    for (const Message& message : messages) {
      path(message.from, message.to, way);
      PhasePlan::Kind& kind = way.network ? plan.network : plan.local;
      kind.any = true;
      if (way.network)
        plan.network_messages = std::max(plan.network_messages, ++sent[message.from]);
      kind.largest = std::max(kind.largest, message.share);
      kind.link_latency = std::max(kind.link_latency, way.link_latency);
      if (message.share > 0)
        for (const PathLoad& load : way.loads) {
          PhasePlan::Load& sum = on[load.resource];
          if (sum.share == 0) touched.push_back(load.resource);
          sum.resource = load.resource;
          sum.kind = load.kind;
          sum.share += load.share * message.share;
          (way.network ? sum.network : sum.local) = true;
        }
    }
    plan.largest = std::max(plan.local.largest, plan.network.largest);
    for (const std::uint32_t resource : touched) {
      plan.loads.push_back(on[resource]);
      plan.loads.back().share /= plan.largest;
      on[resource] = nothing;
    }
  }
  return result;
}

std::vector<std::uint32_t> fold_phases(std::vector<PhasePlan>& phases,
                                       std::span<const double> capacities) {
  // A resource's pattern: its kind, and how much each phase puts on it. Sums of shares may differ
  // in the last bits; that must not split a class.
  const auto mix = [](std::uint64_t hash, std::uint64_t value) {
    hash ^= value + 0x9e3779b97f4a7c15ull + (hash << 6) + (hash >> 2);
    return hash * 0xff51afd7ed558ccdull;
  };
  std::vector<std::uint64_t> pattern(capacities.size(), 0);
  for (std::size_t p = 0; p < phases.size(); ++p)
    for (const PhasePlan::Load& load : phases[p].loads) {
      std::uint64_t& hash = pattern[load.resource];
      if (hash == 0) hash = mix(1, static_cast<std::uint64_t>(load.kind));
      hash = mix(mix(hash, 4 * p + 2 * load.local + load.network),
                 std::bit_cast<std::uint32_t>(static_cast<float>(load.share)));
    }
  std::vector<std::uint32_t> kept, class_of(capacities.size(), 0);
  std::unordered_map<std::uint64_t, std::uint32_t> by_pattern;
  for (std::uint32_t r = 0; r < pattern.size(); ++r) {
    if (pattern[r] == 0) continue;
    const auto [entry, added] =
        by_pattern.try_emplace(pattern[r], static_cast<std::uint32_t>(kept.size()));
    class_of[r] = entry->second;
    if (added)
      kept.push_back(r);
    else if (capacities[r] < capacities[kept[entry->second]])
      kept[entry->second] = r;
  }
  std::vector<std::size_t> last(kept.size(), phases.size());
  for (std::size_t p = 0; p < phases.size(); ++p)
    std::erase_if(phases[p].loads, [&](PhasePlan::Load& load) {
      load.resource = class_of[load.resource];
      return std::exchange(last[load.resource], p) == p;
    });
  return kept;
}

std::vector<PricedPhase> price_phases(const Schedule& schedule, std::span<const PhasePlan> phases,
                                      Bytes size, const RoundCost& cost,
                                      std::span<const double> capacities) {
  const RoundProgram& program = schedule.program;
  const auto bytes = static_cast<double>(size.count);
  const auto largest_message = static_cast<double>(program.largest_message);
  std::vector<PricedPhase> result;
  double still_adding = 0;  // s, when a round ends
  for (const PhasePlan& plan : phases) {
    PricedPhase& activity = result.emplace_back();
    const double rounds = plan.rounds, message = plan.largest * bytes;
    const bool pieces = program.largest_message > 0 && message > largest_message;
    const double rate =
        pieces && plan.added > 0 ? cost.reduce_rate : RoundCost::free;  // a message at most
    double add = plan.added * bytes;
    if (pieces) add = std::min(add, plan.added_messages * largest_message);
    add /= cost.reduce_rate;

    // The least rate of local and of network messages, as progress of the largest one.
    double local = RoundCost::free, network = RoundCost::free;
    if (plan.local.largest > 0)
      local = std::min(rate, cost.rate_local) * (plan.largest / plan.local.largest);
    if (plan.network.largest > 0)
      network = std::min(rate, cost.rate_network) * (plan.largest / plan.network.largest);
    activity.cap = std::min(local, network);
    for (const PhasePlan::Load& load : plan.loads) {
      const double weight = load.share * cost.wire_of(load.kind);
      if (weight <= 0) continue;
      activity.loads.push_back({load.resource, weight});
      const double limit = capacities[load.resource] / weight;
      if (load.local) local = std::min(local, limit);
      if (load.network) network = std::min(network, limit);
    }
    const double alone = std::min(local, network);
    const bool moves = message > 0 && std::isfinite(alone);
    activity.work = moves ? rounds * message : 0;
    const double moving = moves ? message / alone : 0;
    double slowest = 0;  // with its latency
    if (plan.local.any) slowest = cost.latency_local + plan.local.link_latency + message / local;
    if (plan.network.any)
      slowest =
          std::max(slowest, cost.latency_network + plan.network.link_latency + message / network);
    const double latency = std::max(0.0, slowest - moving);
    const double round = latency + moving + plan.copied * bytes / cost.self_copy_rate;
    double total = rounds * (round + add);
    if (program.adds_while_next_round) {
      total = std::max(round, still_adding) + (rounds - 1) * std::max(round, add);
      still_adding = add;
    }
    activity.delay_seconds = std::max(0.0, total - rounds * moving);
    activity.parts = std::min(plan.rounds, most_parts);
  }
  if (still_adding > 0) result.emplace_back().delay_seconds = still_adding;
  return result;
}

double alone_seconds(std::span<const PricedPhase> phases, std::span<const double> capacities) {
  double seconds = 0;
  for (const PricedPhase& phase : phases) {
    double rate = phase.cap;
    for (const Load& load : phase.loads)
      rate = std::min(rate, capacities[load.resource] / load.coefficient);
    seconds += phase.delay_seconds + (phase.work > 0 ? phase.work / rate : 0);
  }
  return seconds;
}

void RoundsFluidRun::start(std::span<const PricedPhase> phases, double launch_seconds,
                           Engine::Action done, void* self, std::uint64_t argument) {
  phases_ = phases;
  phase_ = part_ = 0;
  done_ = done;
  self_ = self;
  argument_ = argument;
  wait(launch_seconds + delay());
}

double RoundsFluidRun::delay() const {
  if (phase_ == phases_.size()) return 0;
  return phases_[phase_].delay_seconds / phases_[phase_].parts;
}

void RoundsFluidRun::wait(double seconds) {
  engine_.schedule<&RoundsFluidRun::begin>(engine_.now() + Time::from_seconds(seconds), *this);
}

void RoundsFluidRun::begin(std::uint64_t) {
  if (phase_ == phases_.size()) return done_(self_, argument_);
  const PricedPhase& phase = phases_[phase_];
  if (phase.work <= 0) return next(0);
  network_.start<&RoundsFluidRun::next>(
      {.work = phase.work / phase.parts, .cap = phase.cap, .weight = 1, .loads = phase.loads},
      *this);
}

void RoundsFluidRun::next(std::uint64_t) {
  if (++part_ == phases_[phase_].parts) {
    part_ = 0;
    ++phase_;
  }
  if (phase_ == phases_.size()) return done_(self_, argument_);
  wait(delay());
}

}  // namespace dsim
