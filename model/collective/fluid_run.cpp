#include "model/collective/fluid_run.h"

namespace dsim {

void FluidRun::start(const FluidCollective& collective, Engine::Action done, void* self,
                     std::uint64_t argument) {
  collective_ = &collective;
  done_ = done;
  self_ = self;
  argument_ = argument;
  engine_.schedule<&FluidRun::launch>(engine_.now() + Time::from_seconds(collective.launch_seconds), *this);
}

void FluidRun::launch(std::uint64_t) {
  running_ = collective_->channels.size();
  if (running_ == 0) return done_(self_, argument_);
  for (const ChannelActivity& channel : collective_->channels)
    network_.start<&FluidRun::channel_done>(
        {.work = channel.work, .cap = channel.cap, .weight = 1, .loads = channel.loads}, *this);
}

void FluidRun::channel_done(std::uint64_t) {
  if (--running_ == 0) done_(self_, argument_);
}

}  // namespace dsim
