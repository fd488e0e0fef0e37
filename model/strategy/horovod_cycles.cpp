#include "model/strategy/horovod_cycles.h"

#include <algorithm>
#include <cmath>
#include <deque>

#include "sim/base/error.h"

namespace dsim {

namespace {

/// Even without a cycle time a turn of the loop takes something.
constexpr double shortest_cycle = 1e-6;

std::int64_t padded(Bytes size, std::int64_t padding) {
  return padding > 1 ? (size.count + padding - 1) / padding * padding : size.count;
}

struct Run {
  std::vector<HorovodResponse> responses;
  double last_wait = 0;  ///< of the last gradient for its cycle
};

Run run(std::span<const GradientArrival> arrivals, const HorovodThread& thread, double phase) {
  Run result;
  std::vector<Bytes> sizes;
  for (const GradientArrival& arrival : arrivals) sizes.push_back(arrival.bytes);
  const double idle = std::max({thread.cycle, thread.negotiation(0), shortest_cycle});
  double start = phase, busy_until = 0;
  std::int64_t cycle = 0;
  for (std::size_t next = 0; next < arrivals.size(); ++cycle) {
    if (arrivals[next].queued > start)
      start += std::ceil((arrivals[next].queued - start) / idle) * idle;
    std::vector<std::size_t> popped;
    // Rounding may leave the first one just behind the boundary.
    while (next < arrivals.size() && (popped.empty() || arrivals[next].queued <= start))
      popped.push_back(next++);
    if (next == arrivals.size()) result.last_wait = start - arrivals.back().queued;
    const double negotiated = start + thread.negotiation(static_cast<std::int64_t>(popped.size()));
    double now = negotiated;
    const double before = busy_until;
    for (auto& members : fuse_responses(popped, sizes, thread.threshold, thread.padding)) {
      HorovodResponse response;
      std::int64_t bytes = 0;
      for (const std::size_t member : members) {
        bytes += members.size() > 1 ? padded(sizes[member], thread.padding) : sizes[member].count;
        if (thread.waits_for_data) now = std::max(now, arrivals[member].ready);
      }
      response.bytes = Bytes{bytes};
      now += thread.work(members.size(), response.bytes);
      response.members = std::move(members);
      response.cycle = cycle;
      response.negotiated = negotiated;
      response.issued = now;
      response.thread_before = before;
      result.responses.push_back(std::move(response));
    }
    busy_until = now;
    start = std::max({start + thread.cycle, start + shortest_cycle, now});
  }
  return result;
}

}  // namespace

std::vector<std::vector<std::size_t>> fuse_responses(std::span<const std::size_t> tensors,
                                                     std::span<const Bytes> sizes, Bytes threshold,
                                                     std::int64_t padding) {
  std::vector<std::vector<std::size_t>> fused;
  std::deque<std::size_t> left(tensors.begin(), tensors.end());
  while (!left.empty()) {
    std::vector<std::size_t>& members = fused.emplace_back();
    members.push_back(left.front());
    left.pop_front();
    std::int64_t size = padded(sizes[members.front()], padding), skipped_bytes = 0;
    std::vector<std::size_t> skipped;
    while (!left.empty()) {
      const std::int64_t candidate = padded(sizes[left.front()], padding);
      if (size + candidate <= threshold.count) {
        size += candidate;
        members.push_back(left.front());
      } else {
        skipped_bytes += candidate;
        if (size + skipped_bytes > threshold.count) break;
        skipped.push_back(left.front());
      }
      left.pop_front();
    }
    left.insert(left.begin(), skipped.begin(), skipped.end());
  }
  return fused;
}

std::vector<HorovodResponse> run_cycles(std::span<const GradientArrival> arrivals,
                                        const HorovodThread& thread) {
  if (arrivals.empty()) return {};
  require(std::is_sorted(arrivals.begin(), arrivals.end(),
                         [](const auto& a, const auto& b) { return a.queued < b.queued; }),
          "gradients are enqueued in order");
  const double period = std::max({thread.cycle, thread.negotiation(0), shortest_cycle});
  const Run first = run(arrivals, thread, 0);
  double phase = std::fmod(period / 2 - first.last_wait, period);
  if (phase < 0) phase += period;
  return run(arrivals, thread, phase).responses;
}

}  // namespace dsim
