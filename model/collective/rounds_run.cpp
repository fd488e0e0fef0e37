#include "model/collective/rounds_run.h"

#include <algorithm>
#include <cmath>

namespace dsim {

namespace {

std::uint64_t key_of(std::uint32_t phase, std::uint32_t flow) {
  return std::uint64_t{phase} << 32 | flow;
}
std::uint32_t phase_of(std::uint64_t key) { return static_cast<std::uint32_t>(key >> 32); }
std::uint32_t flow_of(std::uint64_t key) { return static_cast<std::uint32_t>(key); }

}  // namespace

void RoundsRun::start(Bytes size, const RoundCost& cost, double launch_seconds, Engine::Action done,
                      void* self, std::uint64_t argument) {
  size_ = static_cast<double>(size.count);
  cost_ = cost;
  done_ = done;
  self_ = self;
  argument_ = argument;
  const RoundProgram& program = schedule_.program;
  phases_.assign(program.phases.size(), {});
  for (std::size_t p = 0; p < phases_.size(); ++p)
    phases_[p].end_round = program.phases[p].first_round + program.phases[p].rounds;
  ranks_.assign(schedule_.ranks, {});
  ends_.assign(schedule_.ranks, Time{});
  unfinished_ = ranks_.size();
  engine_.schedule<&RoundsRun::launch>(engine_.now() + Time::from_seconds(launch_seconds), *this);
}

// The flows of a phase, when the first rank comes to it.
void RoundsRun::plan(std::uint32_t index) {
  Phase& phase = phases_[index];
  phase.planned = true;
  std::vector<Message> messages;
  std::vector<double> copies, adds;
  const RoundProgram& program = schedule_.program;
  messages_of_round(program, schedule_.ranks, program.phases[index].first_round, messages, copies);
  MessagePath path;
  phase.first.assign(schedule_.ranks + 1, 0);
  phase.flows.reserve(messages.size());
  for (const Message& message : messages) {
    path_(message.from, message.to, path);
    const double bytes = message.share * size_;
    double cap = cost_.rate(path.network);
    if (message.reduce && std::isfinite(cost_.reduce_rate)) {
      double tail = bytes;
      if (program.largest_message > 0 && bytes > static_cast<double>(program.largest_message)) {
        tail = static_cast<double>(program.largest_message);
        cap = std::min(cap, cost_.reduce_rate);
      }
      adds.resize(schedule_.ranks, 0);
      adds[message.to] += tail;
    }
    phase.flows.push_back({{message.from, message.to},
                           bytes,
                           cap,
                           Time::from_seconds(cost_.latency(path.network) + path.link_latency),
                           static_cast<std::uint32_t>(phase.loads.size()),
                           static_cast<std::uint32_t>(path.loads.size())});
    for (const PathLoad& load : path.loads)
      phase.loads.push_back({load.resource, load.share * cost_.wire_of(load.kind)});
    ++phase.first[message.from];
    ++phase.first[message.to];
  }
  // Counting sort of flows by rank: ends of ranges first, filled backwards.
  for (std::size_t rank = 1; rank < phase.first.size(); ++rank)
    phase.first[rank] += phase.first[rank - 1];
  phase.flow_of.resize(2 * messages.size());
  for (std::uint32_t f = static_cast<std::uint32_t>(messages.size()); f-- > 0;) {
    phase.flow_of[--phase.first[messages[f].from]] = f;
    phase.flow_of[--phase.first[messages[f].to]] = f;
  }
  for (const double share : copies)
    phase.copy.push_back(Time::from_seconds(share * size_ / cost_.self_copy_rate));
  for (const double bytes : adds)
    phase.add.push_back(Time::from_seconds(bytes / cost_.reduce_rate));
}

void RoundsRun::launch(std::uint64_t) {
  if (ranks_.empty()) return done_(self_, argument_);
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) come_to_round(rank);
}

// Skips phases in which the rank has nothing to do, copies its own part, then enters.
void RoundsRun::come_to_round(std::uint64_t index) {
  Rank& rank = ranks_[index];
  while (rank.phase < phases_.size()) {
    if (!phases_[rank.phase].planned) plan(rank.phase);
    const Phase& phase = phases_[rank.phase];
    rank.pending = phase.first[index + 1] - phase.first[index];
    const Time copy = phase.copy.empty() ? Time{} : phase.copy[index];
    if (rank.pending > 0 || copy > Time{}) {
      if (copy > Time{})
        engine_.schedule<&RoundsRun::enter_round>(engine_.now() + copy, *this, index);
      else
        enter_round(index);
      return;
    }
    rank.round = phase.end_round;
    leave_phase(rank);
  }
  const Time now = engine_.now();
  if (rank.added > now)
    engine_.schedule<&RoundsRun::finish>(rank.added, *this, index);
  else
    finish(index);
}

void RoundsRun::enter_round(std::uint64_t index) {
  Rank& rank = ranks_[index];
  rank.entered = true;
  if (rank.pending == 0) return leave_round(static_cast<std::uint32_t>(index));
  const Phase& phase = phases_[rank.phase];
  for (std::uint32_t i = phase.first[index]; i < phase.first[index + 1]; ++i) {
    const std::uint32_t f = phase.flow_of[i];
    const Flow& flow = phase.flows[f];
    const Rank& other = ranks_[flow.ranks.from == index ? flow.ranks.to : flow.ranks.from];
    if (!other.entered || other.round != rank.round) continue;
    ++messages_;
    const std::uint64_t key = key_of(rank.phase, f);
    if (flow.work <= 0 || (flow.load_count == 0 && !std::isfinite(flow.cap))) {
      flow_done(key);
      continue;
    }
    network_.start<&RoundsRun::flow_done>(
        {.work = flow.work,
         .cap = flow.cap,
         .weight = 1,
         .loads = std::span(phase.loads).subspan(flow.first_load, flow.load_count)},
        *this, key);
  }
}

void RoundsRun::flow_done(std::uint64_t key) {
  const Time latency = phases_[phase_of(key)].flows[flow_of(key)].latency;
  engine_.schedule<&RoundsRun::arrive>(engine_.now() + latency, *this, key);
}

void RoundsRun::arrive(std::uint64_t key) {
  const auto [from, to] = phases_[phase_of(key)].flows[flow_of(key)].ranks;
  for (const std::uint32_t rank : {from, to})
    if (--ranks_[rank].pending == 0) leave_round(rank);
}

void RoundsRun::leave_round(std::uint32_t index) {
  Rank& rank = ranks_[index];
  const Phase& phase = phases_[rank.phase];
  const Time now = engine_.now();
  // With two buffers the next round moves while this one's blocks are added; it may only not
  // overtake the round before.
  Time next = std::max(now, rank.added);
  if (!phase.add.empty()) rank.added = next + phase.add[index];
  if (!schedule_.program.adds_while_next_round) next = std::max(now, rank.added);
  rank.entered = false;
  if (++rank.round == phase.end_round) leave_phase(rank);
  if (next > now)
    engine_.schedule<&RoundsRun::come_to_round>(next, *this, index);
  else
    come_to_round(index);
}

// What is behind all ranks is forgotten: a pairwise exchange has as many phases as ranks.
void RoundsRun::leave_phase(Rank& rank) {
  Phase& phase = phases_[rank.phase++];
  if (++phase.left == ranks_.size()) phase = {};
}

void RoundsRun::finish(std::uint64_t index) {
  ends_[index] = engine_.now();
  if (--unfinished_ == 0) done_(self_, argument_);
}

}  // namespace dsim
