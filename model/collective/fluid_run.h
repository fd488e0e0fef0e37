#pragma once
#include <vector>

#include "sim/network/activity_network.h"

namespace dsim {

/// A channel of a collective as one coupled activity: all its hops progress at one rate.
struct ChannelActivity {
  double delay_seconds = 0;  ///< before it moves: overheads that leave the links free
  double work = 0;           ///< bytes per hop
  double cap = 0;            ///< B/s that CTAs and latencies allow
  std::vector<Load> loads;
};

/// A collective call ready to run at `fluid`.
struct FluidCollective {
  double launch_seconds = 0;
  std::vector<ChannelActivity> channels;
};

/// Runs one FluidCollective from its data start; reusable after it has ended.
class FluidRun {
 public:
  FluidRun(Engine& engine, ActivityNetwork& network) : engine_(engine), network_(network) {}
  FluidRun(const FluidRun&) = delete;

  /// Starts now; `done(self, argument)` runs when the last channel has ended.
  void start(const FluidCollective& collective, Engine::Action done, void* self,
             std::uint64_t argument);

 private:
  void launch(std::uint64_t);
  void begin(std::uint64_t channel);
  void channel_done(std::uint64_t);

  Engine& engine_;
  ActivityNetwork& network_;
  const FluidCollective* collective_ = nullptr;
  std::size_t running_ = 0;
  Engine::Action done_ = nullptr;
  void* self_ = nullptr;
  std::uint64_t argument_ = 0;
};

}  // namespace dsim
