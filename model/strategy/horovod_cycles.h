#pragma once
// Horovod's background thread, cycle by cycle: which gradients travel together, and when.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sim/base/units.h"

namespace dsim {

/// A gradient of the step, in the order in which hooks enqueue them.
struct GradientArrival {
  double queued = 0;  ///< s: allreduce_async has put it into the queue
  double ready = 0;   ///< s: the GPU has computed it
  Bytes bytes;        ///< on the wire
};

/// One response: gradients reduced by one collective.
struct HorovodResponse {
  std::vector<std::size_t> members;  ///< indices of arrivals, in the order of the fusion buffer
  Bytes bytes;                       ///< padding included
  std::int64_t cycle = 0;            ///< number of the cycle, idle ones not counted
  double negotiated = 0;             ///< s: end of the negotiation of its cycle
  double issued = 0;                 ///< s: its work is on the GPU's stream, or done
  double thread_before = 0;          ///< s: end of the thread's work before its cycle
};

/// Greedy fusion with look-ahead (horovod common/controller.cc, FuseResponses): what does not fit
/// is skipped while the skipped bytes would still fit, and comes next. `padding` rounds each tensor
/// up. A tensor above the threshold goes alone.
std::vector<std::vector<std::size_t>> fuse_responses(std::span<const std::size_t> tensors,
                                                     std::span<const Bytes> sizes, Bytes threshold,
                                                     std::int64_t padding);

/// How the thread works.
struct HorovodThread {
  double cycle = 1e-3;
  Bytes threshold;
  std::int64_t padding = 16;
  bool waits_for_data = false;  ///< until the GPU has computed all gradients of a response
  std::function<double(std::int64_t tensors)> negotiation;  ///< s of a cycle that found so many
  /// s that the thread spends on a response of so many tensors and bytes.
  std::function<double(std::size_t tensors, Bytes bytes)> work;
};

/// Runs the thread until every gradient has been issued. The clock of its cycles is free: it is set
/// so that the last gradient waits for half a cycle, the mean over all settings.
std::vector<HorovodResponse> run_cycles(std::span<const GradientArrival> arrivals,
                                        const HorovodThread& thread);

}  // namespace dsim
