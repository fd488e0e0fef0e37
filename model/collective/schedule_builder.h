#pragma once
#include <span>

#include "model/collective/communicator.h"
#include "model/collective/schedule.h"

namespace dsim {

/// Puts a Schedule together channel by channel: workers first, then their connections.
class ScheduleBuilder {
 public:
  ScheduleBuilder(const Communicator& communicator, Pattern pattern);

  void begin_channel();
  /// A worker of the current channel for `rank`; returns its index.
  std::uint32_t add_worker(std::uint32_t rank);
  /// Connects two workers of the current channel along the topology's route; between nodes over NIC
  /// `rail` of both if that is given.
  void connect(std::uint32_t from_worker, std::uint32_t to_worker,
               std::uint32_t rail = RouteKey::any);
  /// Connects them over given links, of usual latency.
  void connect_over(std::uint32_t from_worker, std::uint32_t to_worker,
                    std::span<const LinkShare> links, bool network);
  /// Ends the last channel and hands the schedule over.
  Schedule finish();

  Schedule schedule;  ///< fields such as rounds and blocks are set by the algorithm

 private:
  const Communicator& communicator_;
  Route route_;
};

}  // namespace dsim
