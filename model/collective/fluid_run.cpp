#include "model/collective/fluid_run.h"

namespace dsim {

void FluidRun::start(const FluidCollective& collective, Engine::Action done, void* self,
                     std::uint64_t argument) {
  collective_ = &collective;
  done_ = done;
  self_ = self;
  argument_ = argument;
  engine_.schedule<&FluidRun::launch>(engine_.now() + Time::from_seconds(collective.launch_seconds),
                                      *this);
}

void FluidRun::launch(std::uint64_t) {
  running_ = collective_->channels.size();
  if (running_ == 0) return done_(self_, argument_);
  for (std::size_t i = 0; i < running_; ++i)
    engine_.schedule<&FluidRun::begin>(
        engine_.now() + Time::from_seconds(collective_->channels[i].delay_seconds), *this, i);
}

void FluidRun::begin(std::uint64_t index) {
  const ChannelActivity& channel = collective_->channels[index];
  network_.start<&FluidRun::channel_done>(
      {.work = channel.work, .cap = channel.cap, .weight = 1, .loads = channel.loads}, *this);
}

void FluidRun::channel_done(std::uint64_t) {
  if (--running_ == 0) done_(self_, argument_);
}

}  // namespace dsim
