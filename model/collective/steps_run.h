#pragma once
#include <span>
#include <vector>

#include "model/collective/granularity.h"
#include "model/collective/link_resources.h"
#include "model/collective/timing.h"
#include "sim/network/activity_network.h"

namespace dsim {

/// Runs a schedule message by message: every slice is a flow on its links, sent by one serial
/// worker (CTA) per rank and channel, with a FIFO per connection. The reference that `fluid` is
/// compared with.
class StepsRun {
 public:
  /// `resources` must be unfolded; `schedule_index` is the schedule's place in it. `by_id`: the
  /// network's resources are all links by their ids instead of those of `resources`.
  StepsRun(Engine& engine, ActivityNetwork& network, const Schedule& schedule,
           const LinkResources& resources, std::size_t schedule_index, bool by_id = false);
  StepsRun(const StepsRun&) = delete;

  /// Starts now; `done(self, argument)` runs when the last worker has finished. `rates` are those
  /// of the used channels alone (alone_rates): a channel never sends faster, for all of them move
  /// in step, and latencies that hide behind copies depend on them.
  void start(const Granularity& granularity, const StepCost& cost, std::span<const HopRates> rates,
             double launch_seconds, Engine::Action done, void* self, std::uint64_t argument);

  std::uint64_t messages() const { return messages_; }  ///< slices sent so far

 private:
  struct WorkerState {
    std::int64_t op = 0;       // operations finished
    std::int32_t slice = 0;    // next slice of the current operation
    std::int32_t sending = 0;  // flows of the current slice under way
    bool busy = false;
  };
  struct ConnectionState {
    std::int64_t sent = 0, arrived = 0, consumed = 0;  // slices
    Time posted;              // when the proxy is done with the last message
    std::int32_t queued = 0;  // posted messages that wait for the one under way
    bool flowing = false;
  };

  bool sends(std::int64_t op) const;
  bool receives(std::int64_t op) const;
  std::int64_t message_sent(std::int64_t op) const;
  std::int64_t message_received(std::int64_t op) const;
  void launch(std::uint64_t);
  void advance(std::uint32_t worker);
  void begin_sending(std::uint64_t worker);
  void hand_to_proxy(std::uint32_t connection);
  void message_posted(std::uint64_t connection);
  void copied(std::uint64_t worker);
  void begin_flow(std::uint64_t connection);
  bool proxied(std::size_t connection) const {
    return schedule_.connections[connection].network && schedule_.pattern == Pattern::stream;
  }
  void scale_loads();
  void flow_done(std::uint64_t connection);
  void arrive(std::uint64_t connection);
  void slice_done(std::uint64_t worker);

  Engine& engine_;
  ActivityNetwork& network_;
  const Schedule& schedule_;
  const LinkResources& resources_;
  std::size_t schedule_index_;
  bool by_id_;
  Granularity g_;
  StepCost cost_;
  std::int64_t ops_ = 0, loop_ops_ = 1;
  std::int64_t room_ = 0;  // slices of a connection's FIFO
  double slice_bytes_ = 0;
  Time overhead_, post_;
  std::vector<double> cap_;                   // by connection, B/s
  Time copy_;                                 // of a slice into a proxy's FIFO
  std::vector<Time> latency_;                 // by connection, of a slice
  std::vector<Time> receive_, last_receive_;  // by channel: operation that only receives, per slice
  std::vector<Load> loads_;                   // of connections, on the wire
  std::vector<std::uint32_t> first_load_;
  std::vector<WorkerState> workers_;
  std::vector<ConnectionState> connections_;
  std::size_t unfinished_ = 0;
  std::uint64_t messages_ = 0;
  Engine::Action done_ = nullptr;
  void* self_ = nullptr;
  std::uint64_t argument_ = 0;
};

}  // namespace dsim
