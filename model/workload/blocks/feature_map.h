#pragma once
// Operations of convolutional networks between the convolutions: batch norm, ReLU, pooling.
#include <string>

#include "model/workload/blocks/convolution.h"
#include "model/workload/blocks/norm.h"
#include "model/workload/builder.h"

namespace dsim {

/// Registers `path`.weight and `path`.bias and the buffers running_mean, running_var (fp32) and
/// num_batches_tracked (int64).
Norm declare_batch_norm(ModelBuilder& builder, std::string label, const std::string& path,
                        std::int64_t channels);

/// Appends a training BatchNorm: 3 passes forward (one for the statistics), 5 backward (x and dy
/// twice, dx). compile leaves the 2 normalising passes to the residual add if one `feeds_add`.
void append_batch_norm(ModelBuilder& builder, const Norm& norm, const FeatureMap& map,
                       bool feeds_add = false);

/// Appends an in-place ReLU: 2 passes forward, 3 backward; its result is kept by its reader.
/// compile does it inside the BatchNorm before it.
void append_relu(ModelBuilder& builder, const std::string& label, const FeatureMap& map);

/// Appends relu(x + identity): eager 3 + 2 passes forward, fused 3; 3 backward (4 with compile,
/// which sums the two gradients of the block's output here).
void append_residual_relu(ModelBuilder& builder, const std::string& label, const FeatureMap& map);

/// A window that slides over a map.
struct Pooling {
  std::int64_t kernel = 3, stride = 2, padding = 1;
  FeatureMap output(const FeatureMap& input) const;
};

/// Appends a max pooling with int64 indices. Returns the output.
FeatureMap append_max_pool(ModelBuilder& builder, const std::string& label, const FeatureMap& input,
                           const Pooling& pooling = {});

/// Appends the mean over each map.
void append_average_pool(ModelBuilder& builder, const std::string& label, const FeatureMap& input);

/// Appends the mean over each window. Returns the output.
FeatureMap append_average_pool(ModelBuilder& builder, const std::string& label,
                               const FeatureMap& input, const Pooling& pooling);

/// Appends the concatenation of maps along their channels to `output`: 2 passes; backward reads
/// slices of the gradient where they are.
void append_concatenation(ModelBuilder& builder, const std::string& label,
                          const FeatureMap& output);

/// States `map` as the output of the layer begun last.
void set_output(ModelBuilder& builder, const FeatureMap& map);

}  // namespace dsim
