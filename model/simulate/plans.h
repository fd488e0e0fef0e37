#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "model/collective/algorithm.h"
#include "model/collective/nccl/choice.h"
#include "model/collective/granularity.h"
#include "model/collective/link_resources.h"
#include "model/collective/predictor.h"
#include "model/workload/program.h"

namespace dsim {

/// A collective operation of a family of groups, planned: one schedule a group and the links they
/// load together. Free of constants and sizes, so that variations of an experiment share it.
struct Plan {
  std::vector<Communicator> communicators;   ///< by group
  std::vector<Schedule> schedules;           ///< by group
  std::unique_ptr<LinkResources> resources;  ///< folded, of all groups; null for rounds
};

/// Plans of one placement of ranks on a topology, made when first asked for. Thread-safe.
class Plans {
 public:
  Plans(const Topology& topology, Routing routing, Architecture architecture,
        std::vector<GpuId> gpus, NcclSettings nccl = {}, std::optional<Protocol> protocol = {});

  const Plan& plan(const std::vector<std::vector<std::uint32_t>>& groups, CollectiveOp op,
                   const Algorithm& algorithm);
  /// What NCCL chooses for a group. A forced algorithm that lacks the operation or does not fit there
  /// leaves it to NCCL, as with NCCL_ALGO.
  struct Chosen {
    const Algorithm* algorithm = nullptr;
    Protocol protocol = Protocol::simple;
    double graph_channels = 1;
    GranularityLimits limits;
  };
  Chosen chosen(const std::vector<std::uint32_t>& group, CollectiveOp op, Bytes size, DataType type,
                std::string_view forced);
  /// The links of several plans together, for calls that can run at the same time; schedules are
  /// numbered through the plans in order.
  const LinkResources& together(const std::vector<const Plan*>& plans);
  /// Seconds of a call that is timed by itself: rounds of changing partners, or a CPU back end.
  /// `groups`: those of its family; the first one stands for all.
  struct Alone {
    double seconds = 0;
    std::string algorithm;
    std::uint32_t channels = 0;
  };
  Alone alone(const std::vector<std::vector<std::uint32_t>>& groups, const CollectiveCall& call,
              std::string_view forced, const CollectiveConstants& constants);
  /// The groups of a family that have to be simulated (representative_groups).
  const std::vector<std::vector<std::uint32_t>>& representatives(
      const std::vector<std::vector<std::uint32_t>>& groups);
  const Topology& topology() const { return topology_; }
  const std::vector<GpuId>& gpus() const { return gpus_; }

 private:
  struct Group {
    Communicator communicator;
    NcclGraphs graphs;
  };
  Communicator communicator(const std::vector<std::uint32_t>& group) const;
  const Group& group(const std::vector<std::uint32_t>& ranks);
  using Key = std::tuple<std::vector<std::vector<std::uint32_t>>, CollectiveOp, std::string_view>;
  const Topology& topology_;
  Routing routing_;
  Architecture architecture_;
  std::vector<GpuId> gpus_;
  NcclSettings nccl_;
  std::optional<Protocol> protocol_;
  std::mutex mutex_;
  std::map<Key, Plan> plans_;
  std::map<std::vector<std::uint32_t>, Group> groups_;
  std::map<std::vector<const Plan*>, std::unique_ptr<LinkResources>> together_;
  std::map<std::vector<std::vector<std::uint32_t>>, std::vector<std::vector<std::uint32_t>>>
      representatives_;
  std::map<std::tuple<std::vector<std::uint32_t>, CallBackend, std::string>,
           std::unique_ptr<CollectivePredictor>>
      predictors_;
};

}  // namespace dsim
