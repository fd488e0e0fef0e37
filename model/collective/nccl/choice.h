#pragma once
// NCCL's own estimate and what it chooses by it; never a simulated time.
#include <string>
#include <vector>

#include "model/collective/data_type.h"
#include "model/collective/nccl/graphs.h"
#include "model/collective/protocol.h"
#include "model/workload/program.h"

namespace dsim {

/// One cell of NCCL's table.
struct NcclEstimate {
  std::string_view algorithm;  ///< name in our registry: "ring", "tree", "nvls", "nvls_tree",
                               ///< "collnet_direct", "collnet_chain", "pat"
  Protocol protocol = Protocol::simple;
  double latency_us = 0, bandwidth_gbps = 0;  ///< algorithm bandwidth, GB/s
  double microseconds = 0;                    ///< estimate for the size asked
  bool possible = false;
  std::string_view reason;  ///< why not, in words, if not possible
};

/// What NCCL does with one call.
struct NcclChoice {
  std::string_view algorithm = "ring";
  Protocol protocol = Protocol::simple;
  double microseconds = 0;              ///< NCCL's estimate
  std::vector<NcclEstimate> estimates;  ///< every algorithm x protocol; none for point to point
  std::string_view notice;              ///< what NCCL did with a setting, in words; mostly empty
};

/// Facts of a communicator that the estimate needs besides its graphs.
struct NcclMachine {
  Architecture architecture = Architecture::hopper;
  std::string cpu_vendor;  ///< "intel", "amd", "arm", ...
  std::uint32_t ranks = 0, nodes = 0;
  double nic_latency_us = 0;  ///< of the net plugin; 0 for IB and sockets
};
NcclMachine nccl_machine(const Communicator& communicator);

/// The estimate of every algorithm and protocol for a call of `size` bytes (nccl-tests size), and
/// the least of those that are possible. NVIDIA/nccl src/graph/tuning.cc at the tag of the version.
/// `operations` is the number of collectives in the group call.
NcclChoice choose_nccl(const NcclGraphs& graphs, const NcclMachine& machine,
                       const NcclSettings& settings, CollectiveOp op, Bytes size, DataType type,
                       int operations = 1);

}  // namespace dsim
