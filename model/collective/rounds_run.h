#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "model/collective/rounds_cost.h"
#include "sim/network/activity_network.h"

namespace dsim {

/// Runs a schedule in rounds, message by message: each is a flow on its path. A message starts when
/// both its ranks have come to its round, and arrives `latency` after its last byte has left; a
/// rank goes on to the next round when all its messages have arrived and it has added what it
/// received.
///
/// A message that is cut and pipelined (RoundProgram::largest_message) is still one flow: pieces in
/// a row end when the whole does. But it is added piece by piece as it comes, at the slower of the
/// two rates.
class RoundsRun {
 public:
  RoundsRun(Engine& engine, ActivityNetwork& network, const Schedule& schedule, PathOf path)
      : engine_(engine), network_(network), schedule_(schedule), path_(std::move(path)) {}
  RoundsRun(const RoundsRun&) = delete;

  /// Starts now; `done(self, argument)` runs when the last rank has finished. Reusable after that.
  void start(Bytes size, const RoundCost& cost, double launch_seconds, Engine::Action done,
             void* self, std::uint64_t argument);

  std::uint64_t messages() const { return messages_; }  ///< sent so far
  /// When each rank finished.
  std::span<const Time> ends() const { return ends_; }

 private:
  struct Pair {
    std::uint32_t from, to;
  };
  struct Flow {
    Pair ranks;
    double work, cap;
    Time latency;
    std::uint32_t first_load, load_count;
  };
  // What all rounds of a phase have in common.
  struct Phase {
    bool planned = false;
    std::uint32_t end_round = 0;
    std::size_t left = 0;  // ranks that have it behind them
    std::vector<Flow> flows;
    std::vector<Load> loads;
    std::vector<std::uint32_t> first, flow_of;  // by rank: its flows
    std::vector<Time> copy, add;                // by rank, or empty
  };
  struct Rank {
    std::uint32_t phase = 0, round = 0;
    std::uint32_t pending = 0;
    bool entered = false;  // the round's messages may start
    Time added;            // when all that has been received is added
  };

  void plan(std::uint32_t phase);
  void launch(std::uint64_t);
  void come_to_round(std::uint64_t rank);
  void enter_round(std::uint64_t rank);
  void flow_done(std::uint64_t flow);
  void arrive(std::uint64_t flow);
  void leave_round(std::uint32_t rank);
  void leave_phase(Rank& rank);
  void finish(std::uint64_t rank);

  Engine& engine_;
  ActivityNetwork& network_;
  const Schedule& schedule_;
  PathOf path_;
  RoundCost cost_;
  double size_ = 0;
  std::vector<Phase> phases_;
  std::vector<Rank> ranks_;
  std::vector<Time> ends_;
  std::size_t unfinished_ = 0;
  std::uint64_t messages_ = 0;
  Engine::Action done_ = nullptr;
  void* self_ = nullptr;
  std::uint64_t argument_ = 0;
};

}  // namespace dsim
