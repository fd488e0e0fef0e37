#pragma once
#include <cstdint>

namespace dsim {

/// What the ranks of a group do together; nccl-tests' operations.
enum class CollectiveOp : std::uint8_t {
  all_reduce,
  all_gather,
  reduce_scatter,
  broadcast,
  reduce,
  all_to_all,
  sendrecv,  ///< every rank sends to the next one (nccl-tests sendrecv)
  gather,
  scatter,
  barrier
};

}  // namespace dsim
