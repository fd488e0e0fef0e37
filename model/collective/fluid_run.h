#pragma once
#include <cstdint>
#include <vector>

#include "sim/network/activity_network.h"

namespace dsim {

/// A channel (or a phase) of a collective as one coupled activity: all its hops progress at one
/// rate.
struct ChannelActivity {
  double delay_seconds = 0;  ///< before it moves: overheads that leave the links free
  double work = 0;           ///< bytes per hop
  double cap = 0;            ///< B/s that CTAs and latencies allow
  std::vector<Load> loads;
};

/// A collective call ready to run at `fluid`. Its activities run in stages one after the other: all
/// channels at once make one stage, the phases of an algorithm in rounds one each.
struct FluidCollective {
  double launch_seconds = 0;
  double least_seconds = 0;  ///< it never ends before: launch floor of the process that drives it
  std::vector<ChannelActivity> activities;
  std::vector<std::uint32_t> stage_ends;  ///< stage i is [stage_ends[i-1], stage_ends[i])

  void end_stage() { stage_ends.push_back(static_cast<std::uint32_t>(activities.size())); }
};

/// Launch plus the slowest activity of every stage, alone on the network.
double closed_seconds(const FluidCollective& collective);

/// Runs one FluidCollective from its data start; reusable after it has ended.
class FluidRun {
 public:
  FluidRun(Engine& engine, ActivityNetwork& network) : engine_(engine), network_(network) {}
  FluidRun(const FluidRun&) = delete;

  /// Starts now; `done(self, argument)` runs when the last activity has ended.
  void start(const FluidCollective& collective, Engine::Action done, void* self,
             std::uint64_t argument);

 private:
  void begin_stage(std::uint64_t stage);
  void begin(std::uint64_t activity);
  void activity_done(std::uint64_t);
  void finish(std::uint64_t);

  Engine& engine_;
  ActivityNetwork& network_;
  const FluidCollective* collective_ = nullptr;
  std::size_t running_ = 0, stage_ = 0;
  Time earliest_end_;
  Engine::Action done_ = nullptr;
  void* self_ = nullptr;
  std::uint64_t argument_ = 0;
};

}  // namespace dsim
