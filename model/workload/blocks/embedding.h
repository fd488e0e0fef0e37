#pragma once
#include <string>

#include "model/workload/builder.h"

namespace dsim {

/// A table of vectors looked up by integer ids; fp32 at every precision.
struct Embedding {
  std::string label;
  ParameterId weight;
  std::int64_t rows = 0, width = 0;
};

Embedding declare_embedding(ModelBuilder& builder, std::string label, const std::string& path,
                            std::int64_t rows, std::int64_t width);

/// Appends a lookup of `tokens` vectors: 2 passes. Backward zeroes a dense fp32 gradient and
/// scatter-adds 3 passes; with `tied` it is then summed with the gradient the output head made of
/// the same tensor. The weight's gradient is complete at the last of these kernels.
void append_embedding(ModelBuilder& builder, const Embedding& table, std::int64_t tokens,
                      bool tied = false);

/// Appends x + y over `elements` elements (sum of embeddings): 3 passes. `repeated` > 1: y is one
/// tensor for that many samples, so backward sums its gradient over them.
void append_embedding_sum(ModelBuilder& builder, const std::string& label, std::int64_t elements,
                          std::int64_t repeated);

}  // namespace dsim
