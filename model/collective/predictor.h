#pragma once
// The door for everybody who asks how long a collective takes: `dsim collective`, validation,
// tests.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/collective/algorithm.h"
#include "model/collective/backend.h"
#include "model/collective/constants.h"
#include "model/collective/data_type.h"
#include "model/collective/fidelity.h"
#include "model/collective/nccl/choice.h"
#include "model/collective/protocol.h"

namespace dsim {

/// Where and how collectives run.
struct CollectiveSetup {
  std::shared_ptr<const Topology> topology;
  std::vector<GpuId> ranks;        ///< of the communicator, in rank order; empty = all GPUs
  std::optional<Routing> routing;  ///< default: the topology's
  Backend backend = Backend::nccl;
  NcclSettings nccl;
  std::string algorithm;             ///< forced, by registry name; empty = the back end chooses
  std::optional<Protocol> protocol;  ///< forced
  std::optional<std::uint32_t> channels;  ///< at most so many
  std::shared_ptr<const CustomProgram> custom;
  Fidelity fidelity = Fidelity::fluid;
  std::optional<CollectiveConstants> constants;  ///< default: built in for GPU and network
  /// A process that drives several GPUs of a node spends so long launching (s); 0 = one process a
  /// GPU.
  double launch_floor = 0;
};

struct CollectiveQuery {
  CollectiveOp op = CollectiveOp::all_reduce;
  Bytes size;  ///< nccl-tests size: the whole vector
  DataType type = DataType::float32;
  std::uint32_t root = 0;
  std::vector<std::int64_t> counts;  ///< all_to_all, unequal parts; empty = equal
};

struct CollectivePrediction {
  double seconds = 0, low = 0, high = 0;  ///< low, high: 90 % interval
  double algbw = 0, busbw = 0;            ///< B/s by nccl-tests' conventions
  const Algorithm* algorithm = nullptr;
  Protocol protocol = Protocol::simple;
  std::uint32_t channels = 0;
  std::string bottleneck;  ///< "NIC (node0.nic3 -> leaf3)", "NVLink", "CTAs", "latency"
  double limit_busbw =
      0;              ///< busbw if only the bottleneck link worked, at its nominal rate; 0 if none
  NcclChoice choice;  ///< the back end's reasons; estimates empty where it has none
  std::vector<std::string>
      notices;                ///< "NCCL_ALGO=tree cannot reduce_scatter: ring", extrapolations
  bool extrapolated = false;  ///< outside the range of the constants
};

/// busbw / algbw of nccl-tests (NVIDIA/nccl-tests doc/PERFORMANCE.md).
double busbw_factor(CollectiveOp op, std::uint32_t ranks);

/// Plans are made once and kept; predict() may be called for many sizes. Not thread-safe.
class CollectivePredictor {
 public:
  /// Throws InputError: a rank twice or out of range, an algorithm or protocol that cannot be had.
  explicit CollectivePredictor(CollectiveSetup setup);
  ~CollectivePredictor();

  CollectivePrediction predict(const CollectiveQuery& query);
  const CollectiveSetup& setup() const;
  const Communicator& communicator() const;
  const NcclGraphs& graphs() const;
  /// The constants in use; changing them takes effect with the next predict().
  CollectiveConstants& constants();

 private:
  friend std::vector<double> run_concurrently(
      const std::vector<struct ConcurrentCollective>& collectives, Fidelity fidelity);
  struct State;
  std::unique_ptr<State> state_;
};

/// Several collectives at once on one topology (jobs side by side): seconds of each, from its
/// start.
struct ConcurrentCollective {
  CollectiveSetup setup;  ///< all with the same topology object
  CollectiveQuery query;
  Time start;
};
std::vector<double> run_concurrently(const std::vector<ConcurrentCollective>& collectives,
                                     Fidelity fidelity);

}  // namespace dsim
