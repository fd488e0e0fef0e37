#include "model/collective/steps_run.h"

namespace dsim {

namespace {
// NCCL_STEPS = 8 steps a FIFO; a ring slice takes sliceSteps = 2 of them, a stream message one
// (NVIDIA/nccl src/include/collectives.h). Over a network there are two in a row, the sender's and
// the receiver's, which the proxies join.
constexpr std::int64_t ring_fifo = 4, stream_fifo = 8;
constexpr double receive_only = 0.5;
}  // namespace

StepsRun::StepsRun(Engine& engine, ActivityNetwork& network, const Schedule& schedule,
                   const LinkResources& resources, std::size_t schedule_index)
    : engine_(engine),
      network_(network),
      schedule_(schedule),
      resources_(resources),
      schedule_index_(schedule_index) {}

void StepsRun::start(const Granularity& granularity, const StepCost& cost, double launch_seconds,
                     Engine::Action done, void* self, std::uint64_t argument) {
  g_ = granularity;
  cost_ = cost;
  done_ = done;
  self_ = self;
  argument_ = argument;
  const bool ring = schedule_.pattern == Pattern::ring;
  loop_ops_ = ring ? schedule_.rounds + 1 : 1;
  ops_ = ring ? g_.loops * loop_ops_ : g_.messages;
  slice_bytes_ = g_.message_bytes / g_.slices;
  overhead_ = Time::from_seconds(cost_.overhead);
  receive_time_ = Time::from_seconds(receive_only * (cost_.overhead + slice_bytes_ / cost_.rate));
  workers_.assign(schedule_.first_worker[g_.channels], {});
  connections_.assign(schedule_.first_connection[g_.channels], {});
  latency_.resize(connections_.size());
  for (std::size_t c = 0; c < connections_.size(); ++c)
    latency_[c] = Time::from_seconds(cost_.latency(schedule_.connections[c]));
  unfinished_ = workers_.size();
  engine_.schedule<&StepsRun::launch>(engine_.now() + Time::from_seconds(launch_seconds), *this);
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
  if (send) {
    const std::int64_t room = schedule_.pattern == Pattern::ring ? ring_fifo : stream_fifo;
    for (std::uint32_t i = 0; i < worker.out_count; ++i) {
      const std::uint32_t connection = schedule_.out[worker.first_out + i];
      const ConnectionState& out = connections_[connection];
      if (out.sent - out.consumed >= (schedule_.connections[connection].network ? 2 * room : room))
        return;
    }
  }
  state.busy = true;
  if (!send)
    engine_.schedule<&StepsRun::slice_done>(engine_.now() + receive_time_, *this, index);
  else if (overhead_ > Time{})
    engine_.schedule<&StepsRun::begin_sending>(engine_.now() + overhead_, *this, index);
  else
    begin_sending(index);
}

void StepsRun::begin_sending(std::uint64_t index) {
  WorkerState& state = workers_[index];
  const Worker& worker = schedule_.workers[index];
  state.sending = static_cast<std::int32_t>(worker.out_count);
  for (std::uint32_t i = 0; i < worker.out_count; ++i) {
    const std::uint32_t connection = schedule_.out[worker.first_out + i];
    ++connections_[connection].sent;
    ++messages_;
    network_.start<&StepsRun::flow_done>(
        {.work = slice_bytes_,
         .cap = cost_.rate,
         .weight = 1,
         .loads = resources_.connection_loads(schedule_index_, connection)},
        *this, connection);
  }
}

void StepsRun::flow_done(std::uint64_t connection) {
  engine_.schedule<&StepsRun::arrive>(engine_.now() + latency_[connection], *this, connection);
  const std::uint32_t worker = schedule_.connections[connection].from_worker;
  if (--workers_[worker].sending == 0) slice_done(worker);
}

void StepsRun::arrive(std::uint64_t connection) {
  ++connections_[connection].arrived;
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
