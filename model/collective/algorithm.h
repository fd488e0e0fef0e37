#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "model/collective/communicator.h"
#include "model/collective/nccl/graphs.h"
#include "model/collective/schedule.h"

namespace dsim {

struct CustomProgram;

/// What an algorithm plans for.
struct PlanRequest {
  const Communicator* communicator = nullptr;
  CollectiveOp op = CollectiveOp::all_reduce;
  Bytes size = {};                   ///< only algorithms whose rounds depend on it look at it
  std::uint32_t root = 0;            ///< rank; broadcast, reduce, gather, scatter
  const NcclGraphs* nccl = nullptr;  ///< channels of ring, tree, NVLS; null for CPU back ends
  /// all_to_all with unequal parts: bytes from rank i to rank j at [i * n + j]; empty = equal.
  std::span<const std::int64_t> counts = {};
  const CustomProgram* custom = nullptr;  ///< of "custom"
};

/// A way to run a collective: a pure function from a request to a Schedule.
/// A new one is a file in algorithms/ with such a row and a line in algorithms.cpp.
struct Algorithm {
  std::string_view name;  ///< "ring"
  std::string_view help;
  bool (*supports)(CollectiveOp op);
  Schedule (*plan)(const PlanRequest& request);
  /// Why it cannot run there ("NVLS needs an NVSwitch"), or "".
  std::string (*unfit)(const PlanRequest& request) = [](const PlanRequest&) {
    return std::string();
  };
  bool by_size = false;  ///< its plan depends on PlanRequest::size
};

std::string_view name_of(CollectiveOp op);
/// Also "alltoall", "allreduce" ... without underscores. Throws InputError with the nearest name.
CollectiveOp collective_by_name(std::string_view name);
std::vector<CollectiveOp> all_collectives();

/// InputError lists the known algorithms.
const Algorithm& algorithm_by_name(std::string_view name);
std::vector<const Algorithm*> algorithms();

}  // namespace dsim
