#include "model/collective/fluid_run.h"

#include <algorithm>

namespace dsim {

double closed_seconds(const FluidCollective& collective) {
  double total = collective.launch_seconds;
  std::uint32_t first = 0;
  for (const std::uint32_t end : collective.stage_ends) {
    double slowest = 0;
    for (; first < end; ++first) {
      const ChannelActivity& a = collective.activities[first];
      slowest = std::max(slowest, a.delay_seconds + (a.work > 0 ? a.work / a.cap : 0));
    }
    total += slowest;
  }
  return std::max(total, collective.least_seconds);
}

void FluidRun::start(const FluidCollective& collective, Engine::Action done, void* self,
                     std::uint64_t argument) {
  collective_ = &collective;
  done_ = done;
  self_ = self;
  argument_ = argument;
  earliest_end_ = engine_.now() + Time::from_seconds(collective.least_seconds);
  engine_.schedule<&FluidRun::begin_stage>(
      engine_.now() + Time::from_seconds(collective.launch_seconds), *this, 0);
}

void FluidRun::begin_stage(std::uint64_t stage) {
  stage_ = stage;
  if (stage == collective_->stage_ends.size()) {
    if (engine_.now() >= earliest_end_) return finish(0);
    engine_.schedule<&FluidRun::finish>(earliest_end_, *this);
    return;
  }
  const std::uint32_t first = stage == 0 ? 0 : collective_->stage_ends[stage - 1];
  const std::uint32_t end = collective_->stage_ends[stage];
  running_ = end - first;
  if (running_ == 0) return begin_stage(stage + 1);
  for (std::uint32_t i = first; i < end; ++i)
    engine_.schedule<&FluidRun::begin>(
        engine_.now() + Time::from_seconds(collective_->activities[i].delay_seconds), *this, i);
}

void FluidRun::begin(std::uint64_t index) {
  const ChannelActivity& a = collective_->activities[index];
  if (a.work <= 0) return activity_done(0);
  network_.start<&FluidRun::activity_done>(
      {.work = a.work, .cap = a.cap, .weight = 1, .loads = a.loads}, *this);
}

void FluidRun::activity_done(std::uint64_t) {
  if (--running_ == 0) begin_stage(stage_ + 1);
}

void FluidRun::finish(std::uint64_t) { done_(self_, argument_); }

}  // namespace dsim
