#pragma once
#include <string>

#include "model/workload/builder.h"

namespace dsim {

/// A stack of square feature maps: `images` x `channels` x `side` x `side`.
struct FeatureMap {
  std::int64_t images = 0, channels = 0, side = 0;
  std::int64_t elements() const { return images * channels * side * side; }
};

/// A convolution with its weight [out, in/groups, kernel, kernel_width].
struct Convolution {
  std::string label;
  ParameterId weight;
  std::int64_t inputs = 0, outputs = 0, kernel = 1, stride = 1, groups = 1;
  std::int64_t kernel_width = 0;  ///< 0: as `kernel`
  std::int64_t padding = -1;      ///< on each side; -1: "same", in both directions
  bool biased = false;
  ParameterId bias{};  ///< none if invalid

  std::int64_t window() const { return kernel * (kernel_width > 0 ? kernel_width : kernel); }
  std::int64_t output_side(std::int64_t side) const;
};

Convolution declare_convolution(ModelBuilder& builder, std::string label, const std::string& path,
                                Convolution shape);

/// What differs between uses of a convolution.
struct ConvolutionUse {
  bool keeps_input = true;     ///< false: another operation already keeps the input
  bool input_gradient = true;  ///< false: the network's first convolution
};

/// Appends an implicit GEMM over N images with P x P outputs, per group:
///   forward N P P x outputs x inputs k k, dgrad N H H x inputs x outputs k k / stride^2,
///   wgrad outputs x inputs k k x N P P; bytes are those of the real tensors.
/// 16-bit tensors are channels_last and fp32 runs on NCHW kernels; tf32 is NCHW with layout copies
/// around each kernel. A bias is added by a kernel of its own, which does the ReLU too when
/// compiled. Returns the output.
FeatureMap append_convolution(ModelBuilder& builder, const Convolution& convolution,
                              const FeatureMap& input, const ConvolutionUse& use = {});

}  // namespace dsim
