#pragma once
// Gradient buckets: which tensors travel together.
#include <cstdint>
#include <span>
#include <vector>

#include "model/workload/model.h"
#include "sim/base/units.h"

namespace dsim {

/// One gradient bucket: parameters in the order they lie in it.
struct Bucket {
  std::vector<ParameterId> parameters;
  std::int64_t elements = 0;
  Bytes bytes;
};

/// Assigns tensors (in the given order) to buckets as compute_bucket_assignment_by_size does: a
/// tensor is added first, the bucket closes when its size reaches the limit; limits[i] holds for
/// bucket i, the last one for all that follow. What is left over makes a last bucket. `sizes` is
/// indexed by parameter id. One dtype and device, dense tensors. `elements` stays 0: bytes alone
/// decide. Source: pytorch torch/csrc/distributed/c10d/reducer.cpp.
std::vector<Bucket> assign_buckets(std::span<const ParameterId> order, std::span<const Bytes> sizes,
                                   std::span<const Bytes> limits);

}  // namespace dsim
