#pragma once
// What Open MPI and Gloo run: rules of size and ranks, not estimates.
#include <cstdint>
#include <string_view>

#include "model/workload/program.h"
#include "sim/base/units.h"

namespace dsim {

/// An algorithm of our registry, as a CPU back end runs it.
struct HostChoice {
  std::string_view algorithm;  ///< name in the registry
  Bytes segment;               ///< messages are cut to it; 0 = whole
  std::string_view reason;     ///< the rule, in words
  bool assumed = false;        ///< no source: what the back end runs has no equal in the registry,
                               ///< or its rule is not known
};

/// One call. `size` is nccl-tests' (for gathers the whole vector).
struct HostCall {
  CollectiveOp op = CollectiveOp::all_reduce;
  Bytes size;
  std::uint32_t ranks = 1, nodes = 1;
};

/// Release of Open MPI: its rules changed with 4.1, its default component with 5.0.
struct OpenMpiVersion {
  int major = 5, minor = 0;
  auto operator<=>(const OpenMpiVersion&) const = default;
};
/// "4.1.6", "5.0". Throws InputError.
OpenMpiVersion parse_open_mpi_version(std::string_view text);

/// coll/tuned's fixed decisions for commutative operations; from 5.0 on coll/han where several
/// ranks share each of several nodes.
HostChoice choose_open_mpi(const HostCall& call, OpenMpiVersion version = {});

/// Gloo as PyTorch and Horovod call it; `bcube` if that is asked for.
HostChoice choose_gloo(const HostCall& call, bool bcube = false);

}  // namespace dsim
