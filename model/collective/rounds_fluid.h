#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "model/collective/fluid_run.h"
#include "model/collective/rounds_cost.h"

namespace dsim {

/// A phase of a RoundProgram, whatever its size and cost: all messages of a round progress
/// together, measured in bytes of the largest one.
struct PhasePlan {
  std::uint32_t rounds = 0;
  double largest = 0;  ///< share of the size in the largest message
  struct Kind {
    bool any = false;
    double largest = 0;       ///< share of the size in the largest such message
    double link_latency = 0;  ///< s, the longest
  };
  Kind local, network;
  double copied = 0;                 ///< share that a rank copies to itself, the most
  double added = 0;                  ///< share that a rank receives and adds, the most
  std::uint32_t added_messages = 0;  ///< in so many messages
  std::uint32_t network_messages = 0;  ///< of one rank to other nodes, the most
  /// What the messages of a round put on a resource, and which kind of them.
  struct Load : PathLoad {
    bool local = false, network = false;
  };
  std::vector<Load> loads;  ///< on each resource, per byte of the largest message
};

/// Looks at the first round of every phase. Resources are numbered below `resources`.
std::vector<PhasePlan> plan_phases(const Schedule& schedule, const PathOf& path,
                                   std::size_t resources);

/// Puts resources of a kind together that every phase loads alike: exact while nothing else crosses
/// them. Returns one of the old resources for each new one, the one with the least capacity.
std::vector<std::uint32_t> fold_phases(std::vector<PhasePlan>& phases,
                                       std::span<const double> capacities);

/// A phase as an activity. Its rounds come in `parts` bunches, each with its share of the delay, so
/// that what else crosses the links meets the messages spread over the phase as they are.
struct PricedPhase : ChannelActivity {
  std::uint32_t parts = 1;
};

/// The phases as activities that follow each other. A phase that nobody disturbs takes
/// rounds x (latency + bytes / rate), rate = least of the messages' caps and capacity / load of the
/// links; what a rank copies and adds comes on top (added while the next round moves: only what
/// does not fit beside it). `capacities` by resource.
std::vector<PricedPhase> price_phases(const Schedule& schedule, std::span<const PhasePlan> phases,
                                      Bytes size, const RoundCost& cost,
                                      std::span<const double> capacities);

/// Seconds of priced phases if nobody disturbs them. Ranks that do not wait for each other's
/// slowest message can be faster.
double alone_seconds(std::span<const PricedPhase> phases, std::span<const double> capacities);

/// Runs priced phases one after the other; reusable after it has ended.
class RoundsFluidRun {
 public:
  RoundsFluidRun(Engine& engine, ActivityNetwork& network) : engine_(engine), network_(network) {}
  RoundsFluidRun(const RoundsFluidRun&) = delete;

  /// Starts now; `phases` must stay valid until `done(self, argument)` runs.
  void start(std::span<const PricedPhase> phases, double launch_seconds, Engine::Action done,
             void* self, std::uint64_t argument);

 private:
  void wait(double seconds);
  double delay() const;
  void begin(std::uint64_t);
  void next(std::uint64_t);

  Engine& engine_;
  ActivityNetwork& network_;
  std::span<const PricedPhase> phases_;
  std::size_t phase_ = 0;
  std::uint32_t part_ = 0;
  Engine::Action done_ = nullptr;
  void* self_ = nullptr;
  std::uint64_t argument_ = 0;
};

}  // namespace dsim
