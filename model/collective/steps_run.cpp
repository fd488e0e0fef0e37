#include "model/collective/steps_run.h"

#include <algorithm>

namespace dsim {

StepsRun::StepsRun(Engine& engine, ActivityNetwork& network, const Schedule& schedule,
                   const LinkResources& resources, std::size_t schedule_index, bool by_id)
    : engine_(engine),
      network_(network),
      schedule_(schedule),
      resources_(resources),
      schedule_index_(schedule_index),
      by_id_(by_id) {}

void StepsRun::start(const Granularity& granularity, const StepCost& cost,
                     std::span<const HopRates> rates, double launch_seconds, Engine::Action done,
                     void* self, std::uint64_t argument) {
  g_ = granularity;
  cost_ = cost;
  done_ = done;
  self_ = self;
  argument_ = argument;
  const bool ring = schedule_.pattern == Pattern::ring;
  loop_ops_ = ring ? schedule_.rounds + 1 : 1;
  ops_ = ring ? g_.loops * loop_ops_ : g_.messages;
  slice_bytes_ = g_.message_bytes / g_.slices;
  room_ = fifo_slices(schedule_.pattern, g_, cost);
  overhead_ = Time::from_seconds(cost_.overhead);
  post_ = Time::from_seconds(cost_.post);
  copy_ = Time::from_seconds(slice_bytes_ / cost_.rate);
  workers_.assign(schedule_.first_worker[g_.channels], {});
  connections_.assign(schedule_.first_connection[g_.channels], {});
  latency_.resize(connections_.size());
  cap_.resize(connections_.size());
  receive_.resize(g_.channels);
  last_receive_.resize(g_.channels);
  for (std::uint32_t channel = 0; channel < g_.channels; ++channel) {
    const double rate = rates[channel].channel;
    const double slice = slice_bytes_ / (ring ? rate : rates[channel].local);
    receive_[channel] = Time::from_seconds(cost.last_operation * slice);
    last_receive_[channel] = Time::from_seconds((cost.last_operation + cost.fill) * slice);
    for (auto c = schedule_.first_connection[channel]; c < schedule_.first_connection[channel + 1];
         ++c) {
      const Connection& connection = schedule_.connections[c];
      const double pace = connection.network ? rates[channel].network : rates[channel].local;
      cap_[c] = proxied(c) ? pace : std::min(cost.rate, pace);
      latency_[c] = Time::from_seconds(
          std::max(0.0, slice_latency(g_, cost, connection.network, rate) + connection.latency));
    }
  }
  scale_loads();
  unfinished_ = workers_.size();
  engine_.schedule<&StepsRun::launch>(engine_.now() + Time::from_seconds(launch_seconds), *this);
}

void StepsRun::scale_loads() {
  loads_.clear();
  first_load_.assign(1, 0);
  for (std::uint32_t c = 0; c < connections_.size(); ++c) {
    for (Load load : resources_.connection_loads(schedule_index_, c)) {
      load.coefficient *= cost_.wire[static_cast<std::size_t>(resources_.kind(load.resource))];
      if (by_id_) load.resource = resources_.sample(load.resource).value;
      loads_.push_back(load);
    }
    first_load_.push_back(static_cast<std::uint32_t>(loads_.size()));
  }
}

bool StepsRun::sends(std::int64_t op) const {
  return schedule_.pattern == Pattern::stream || op % loop_ops_ < schedule_.rounds;
}
bool StepsRun::receives(std::int64_t op) const {
  return schedule_.pattern == Pattern::stream || op % loop_ops_ > 0;
}
std::int64_t StepsRun::message_sent(std::int64_t op) const {
  return schedule_.pattern == Pattern::stream ? op
                                              : op / loop_ops_ * schedule_.rounds + op % loop_ops_;
}
std::int64_t StepsRun::message_received(std::int64_t op) const {
  return schedule_.pattern == Pattern::stream
             ? op
             : op / loop_ops_ * schedule_.rounds + op % loop_ops_ - 1;
}

void StepsRun::launch(std::uint64_t) {
  if (schedule_.connections.empty()) return done_(self_, argument_);
  for (std::uint32_t w = 0; w < workers_.size(); ++w) advance(w);
}

// Starts the next slice of a worker if it is idle, its input has come and the FIFO has room.
void StepsRun::advance(std::uint32_t index) {
  WorkerState& state = workers_[index];
  if (state.busy || state.op == ops_) return;
  const Worker& worker = schedule_.workers[index];
  if (receives(state.op)) {
    const std::int64_t slice = message_received(state.op) * g_.slices + state.slice;
    for (std::uint32_t i = 0; i < worker.in_count; ++i)
      if (connections_[schedule_.in[worker.first_in + i]].arrived <= slice) return;
  }
  const bool send = sends(state.op) && worker.out_count > 0;
  if (send)
    for (std::uint32_t i = 0; i < worker.out_count; ++i) {
      const std::uint32_t connection = schedule_.out[worker.first_out + i];
      const ConnectionState& out = connections_[connection];
      const std::int64_t room = schedule_.connections[connection].network ? 2 * room_ : room_;
      if (out.sent - out.consumed >= room) return;
    }
  state.busy = true;
  if (!send) {
    const bool last = state.op + 1 == ops_;
    const Time time = (last ? last_receive_ : receive_)[worker.channel];
    engine_.schedule<&StepsRun::slice_done>(engine_.now() + time, *this, index);
  } else if (overhead_ > Time{}) {
    engine_.schedule<&StepsRun::begin_sending>(engine_.now() + overhead_, *this, index);
  } else {
    begin_sending(index);
  }
}

// Inside a node a worker moves each slice itself. A stream's slices for the network are copied to a
// FIFO, from which a proxy sends them when the message is whole.
void StepsRun::begin_sending(std::uint64_t index) {
  WorkerState& state = workers_[index];
  const Worker& worker = schedule_.workers[index];
  const bool whole = state.slice + 1 == g_.slices;
  state.sending = 1;  // this call
  for (std::uint32_t i = 0; i < worker.out_count; ++i) {
    const std::uint32_t connection = schedule_.out[worker.first_out + i];
    ++connections_[connection].sent;
    ++state.sending;
    if (!proxied(connection)) {
      begin_flow(connection);
      continue;
    }
    if (whole) hand_to_proxy(connection);
    engine_.schedule<&StepsRun::copied>(engine_.now() + copy_, *this, index);
  }
  copied(index);
}

void StepsRun::copied(std::uint64_t worker) {
  if (--workers_[worker].sending == 0) slice_done(worker);
}

// Posting takes the proxy's time, message by message; one posted message after the other is sent.
void StepsRun::hand_to_proxy(std::uint32_t connection) {
  Time& posted = connections_[connection].posted;
  posted = std::max(posted, engine_.now()) + post_;
  engine_.schedule<&StepsRun::message_posted>(posted, *this, connection);
}

void StepsRun::message_posted(std::uint64_t connection) {
  ConnectionState& state = connections_[connection];
  if (state.flowing)
    ++state.queued;
  else
    begin_flow(connection);
}

void StepsRun::begin_flow(std::uint64_t connection) {
  ++messages_;
  connections_[connection].flowing = true;
  network_.start<&StepsRun::flow_done>(
      {.work = proxied(connection) ? g_.message_bytes : slice_bytes_,
       .cap = cap_[connection],
       .weight = 1,
       .loads = std::span(loads_).subspan(first_load_[connection],
                                          first_load_[connection + 1] - first_load_[connection])},
      *this, connection);
}

void StepsRun::flow_done(std::uint64_t connection) {
  engine_.schedule<&StepsRun::arrive>(engine_.now() + latency_[connection], *this, connection);
  ConnectionState& state = connections_[connection];
  state.flowing = false;
  if (!proxied(connection)) return copied(schedule_.connections[connection].from_worker);
  if (state.queued == 0) return;
  --state.queued;
  begin_flow(connection);
}

void StepsRun::arrive(std::uint64_t connection) {
  connections_[connection].arrived += proxied(connection) ? g_.slices : 1;
  advance(schedule_.connections[connection].to_worker);
}

void StepsRun::slice_done(std::uint64_t index) {
  WorkerState& state = workers_[index];
  const Worker& worker = schedule_.workers[index];
  state.busy = false;
  const bool received = receives(state.op);
  if (++state.slice == g_.slices) {
    state.slice = 0;
    ++state.op;
  }
  if (received)
    for (std::uint32_t i = 0; i < worker.in_count; ++i) {
      const std::uint32_t connection = schedule_.in[worker.first_in + i];
      ++connections_[connection].consumed;
      advance(schedule_.connections[connection].from_worker);
    }
  if (state.op == ops_) {
    if (--unfinished_ == 0) done_(self_, argument_);
    return;
  }
  advance(static_cast<std::uint32_t>(index));
}

}  // namespace dsim
