#pragma once
#include "model/strategy/ddp.h"

namespace dsim {

/// Peak memory of one GPU by part, bytes.
struct MemoryFootprint {
  double parameters = 0, gradients = 0, optimizer = 0, activations = 0, buckets = 0, workspace = 0,
         context = 0;
  double capacity = 0;
  double total() const {
    return parameters + gradients + optimizer + activations + buckets + workspace + context;
  }
  bool fits() const { return total() <= capacity; }
};

}  // namespace dsim
