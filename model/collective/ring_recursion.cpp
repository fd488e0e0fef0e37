#include "model/collective/ring_recursion.h"

#include <algorithm>
#include <vector>

namespace dsim {

bool never_contended(const Schedule& schedule, const Granularity& g, const StepCost& cost,
                     const LinkResources& resources, std::size_t index,
                     std::span<const double> capacities) {
  if (schedule.pattern != Pattern::ring) return false;
  std::vector<double> needed(resources.size(), 0);
  for (std::uint32_t c = 0; c < schedule.first_connection[g.channels]; ++c)
    for (const Load& load : resources.connection_loads(index, c))
      needed[load.resource] += load.coefficient * cost.rate *
                               cost.wire[static_cast<std::size_t>(resources.kind(load.resource))];
  for (std::size_t r = 0; r < needed.size(); ++r)
    if (needed[r] > capacities[r]) return false;
  return true;
}

namespace {

// One channel; workers stand in ring order and worker i sends to worker i + 1 over connection i.
class Channel {
 public:
  Channel(const Schedule& s, const Granularity& g, const StepCost& cost, std::uint32_t channel,
          double rate)
      : g_(g),
        n_(s.first_connection[channel + 1] - s.first_connection[channel]),
        loop_(s.rounds + 1),
        overhead_(Time::from_seconds(cost.overhead).ps),
        room_(fifo_slices(Pattern::ring, g, cost)),
        depth_(2 * room_) {
    const double slice = g.message_bytes / g.slices;
    flow_ = Time::from_seconds(slice / cost.rate).ps;
    receive_ = Time::from_seconds(cost.last_operation * (slice / rate)).ps;
    last_receive_ = Time::from_seconds((cost.last_operation + cost.fill) * (slice / rate)).ps;
    for (std::uint32_t i = 0; i < n_; ++i) {
      const Connection& c = s.connections[s.first_connection[channel] + i];
      latency_.push_back(
          Time::from_seconds(std::max(0.0, slice_latency(g, cost, c.network, rate) + c.latency))
              .ps);
      fifo_.push_back(c.network ? 2 * room_ : room_);
    }
    const auto slices = static_cast<std::size_t>(g.slices);
    free_.assign(n_, 0);
    arrived_.assign(2 * slices * n_, 0);
    consumed_.assign(static_cast<std::size_t>(depth_) * n_, 0);
  }

  RingTimes run() {
    RingTimes times;
    const std::int64_t ops = g_.loops * loop_;
    for (std::int64_t op = 0; op < ops; ++op) {
      const std::int64_t in_loop = op % loop_;
      const std::int64_t message =
          op / loop_ * (loop_ - 1) + in_loop;  // sent; received is one less
      for (std::int64_t slice = 0; slice < g_.slices; ++slice)
        level(in_loop > 0, in_loop + 1 < loop_, message, slice, op + 1 == ops);
      if (in_loop + 1 < loop_) times.messages += static_cast<std::uint64_t>(g_.slices) * n_;
    }
    times.end = Time{*std::max_element(free_.begin(), free_.end())};
    return times;
  }

 private:
  // All workers at one slice of one operation: everything it needs happened in earlier levels.
  void level(bool receives, bool sends, std::int64_t message, std::int64_t slice, bool last) {
    const std::int64_t sent = message * g_.slices + slice;  // index on the way out
    const std::int64_t received = sent - g_.slices;         // and on the way in
    const auto row = [&](std::int64_t of_message) {
      return arrived_.data() + static_cast<std::size_t>((of_message & 1) * g_.slices + slice) * n_;
    };
    const std::int64_t* in = row(message - 1);
    std::int64_t* out = row(message);
    const std::int64_t busy = sends ? overhead_ + flow_ : last ? last_receive_ : receive_;
    const auto taken = [&](std::int64_t index) {
      return consumed_.data() + static_cast<std::size_t>(index % depth_) * n_;
    };
    for (std::uint32_t i = 0; i < n_; ++i) {
      const std::uint32_t next = i + 1 == n_ ? 0 : i + 1;
      std::int64_t start = free_[i];
      if (receives) start = std::max(start, in[i]);
      if (sends && sent >= fifo_[i]) start = std::max(start, taken(sent - fifo_[i])[next]);
      free_[i] = start + busy;
      if (sends) out[next] = free_[i] + latency_[i];
    }
    if (receives) std::copy(free_.begin(), free_.end(), taken(received));
  }

  const Granularity& g_;
  std::uint32_t n_;
  std::int64_t loop_, overhead_, room_, depth_, flow_ = 0, receive_ = 0, last_receive_ = 0;
  std::vector<std::int64_t> latency_, fifo_;  // by connection; ps, slices
  std::vector<std::int64_t> free_;            // when a worker is done with what it did last
  std::vector<std::int64_t> arrived_;         // [message parity][slice][worker]
  std::vector<std::int64_t> consumed_;        // [slice index mod depth][worker]
};

}  // namespace

RingTimes ring_recursion(const Schedule& schedule, const Granularity& g, const StepCost& cost,
                         std::span<const HopRates> rates) {
  RingTimes all;
  for (std::uint32_t channel = 0; channel < g.channels; ++channel) {
    const RingTimes one = Channel(schedule, g, cost, channel, rates[channel].channel).run();
    all.end = std::max(all.end, one.end);
    all.messages += one.messages;
  }
  return all;
}

}  // namespace dsim
