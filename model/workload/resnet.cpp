#include "model/workload/resnet.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "model/workload/blocks/elementwise.h"
#include "model/workload/blocks/feature_map.h"
#include "model/workload/blocks/image.h"
#include "model/workload/blocks/linear.h"
#include "model/workload/blocks/loss.h"
#include "model/workload/builder.h"
#include "model/workload/kernels.h"

namespace dsim {
namespace {

constexpr std::int64_t image_side = 224;
constexpr std::int64_t classes = 1000;
constexpr std::int64_t stem_channels = 64;

/// Sizes of one member; `group_width` channels of the 3x3 a group in the first stage.
struct ResNetSize {
  std::string_view name, title;
  std::array<int, 4> blocks;
  bool bottleneck;
  std::int64_t groups, group_width;
};

constexpr ResNetSize sizes[] = {
    {"resnet-18", "ResNet-18", {2, 2, 2, 2}, false, 1, 64},
    {"resnet-34", "ResNet-34", {3, 4, 6, 3}, false, 1, 64},
    {"resnet-50", "ResNet-50", {3, 4, 6, 3}, true, 1, 64},
    {"resnet-101", "ResNet-101", {3, 4, 23, 3}, true, 1, 64},
    {"resnet-152", "ResNet-152", {3, 8, 36, 3}, true, 1, 64},
    {"resnext50-32x4d", "ResNeXt-50 32x4d", {3, 4, 6, 3}, true, 32, 4},
    {"resnext101-32x8d", "ResNeXt-101 32x8d", {3, 4, 23, 3}, true, 32, 8},
    {"resnext101-64x4d", "ResNeXt-101 64x4d", {3, 4, 23, 3}, true, 64, 4},
    {"wide-resnet-50-2", "Wide ResNet-50-2", {3, 4, 6, 3}, true, 1, 128},
    {"wide-resnet-101-2", "Wide ResNet-101-2", {3, 4, 23, 3}, true, 1, 128},
};

/// One residual block: its convolutions with their norms, in registration order.
struct ResidualBlock {
  std::vector<std::pair<Convolution, Norm>> trunk;
  std::optional<std::pair<Convolution, Norm>> downsample;
};

std::pair<Convolution, Norm> declare_pair(ModelBuilder& builder, const std::string& path,
                                          const std::string& convolution, const std::string& norm,
                                          const Convolution& shape) {
  // Evaluated apart: the order of registration matters.
  Convolution first = declare_convolution(builder, convolution, path + '.' + convolution, shape);
  Norm second = declare_batch_norm(builder, norm, path + '.' + norm, shape.outputs);
  return {std::move(first), std::move(second)};
}

ResidualBlock declare_block(ModelBuilder& builder, const std::string& path, const ResNetSize& size,
                            std::int64_t inputs, std::int64_t planes, std::int64_t stride) {
  const std::int64_t outputs = size.bottleneck ? 4 * planes : planes;
  std::vector<Convolution> shapes;
  if (size.bottleneck) {
    const std::int64_t width = planes * size.group_width / 64 * size.groups;
    shapes = {{"", {}, inputs, width, 1, 1, 1},
              {"", {}, width, width, 3, stride, size.groups},
              {"", {}, width, outputs, 1, 1, 1}};
  } else {
    shapes = {{"", {}, inputs, planes, 3, stride, 1}, {"", {}, planes, planes, 3, 1, 1}};
  }
  ResidualBlock block;
  for (std::size_t i = 0; i < shapes.size(); ++i)
    block.trunk.push_back(declare_pair(builder, path, fmt::format("conv{}", i + 1),
                                       fmt::format("bn{}", i + 1), shapes[i]));
  if (stride != 1 || inputs != outputs)
    block.downsample = declare_pair(builder, path, "downsample.0", "downsample.1",
                                    {"", {}, inputs, outputs, 1, stride, 1});
  return block;
}

FeatureMap append_block(ModelBuilder& builder, const ResidualBlock& block,
                        const FeatureMap& input) {
  append_gradient_sum(builder, "identity", input.elements(), 2);
  FeatureMap map = input;
  for (std::size_t i = 0; i < block.trunk.size(); ++i) {
    const auto& [convolution, norm] = block.trunk[i];
    const bool last = i + 1 == block.trunk.size();
    map = append_convolution(builder, convolution, map);
    append_batch_norm(builder, norm, map, last);
    if (!last) append_relu(builder, fmt::format("relu{}", i + 1), map);
  }
  if (block.downsample) {
    append_convolution(builder, block.downsample->first, input, {.keeps_input = false});
    append_batch_norm(builder, block.downsample->second, map, true);
  }
  append_residual_relu(builder, "add", map);
  set_output(builder, map);
  return map;
}

FeatureMap append_stem(ModelBuilder& builder) {
  builder.begin_layer("stem", LayerRole::embedding);
  const Convolution convolution =
      declare_convolution(builder, "conv1", "conv1", {"", {}, 3, stem_channels, 7, 2, 1});
  const Norm norm = declare_batch_norm(builder, "bn1", "bn1", stem_channels);
  const FeatureMap images = append_images(builder, image_side);
  const FeatureMap map =
      append_convolution(builder, convolution, images, {.input_gradient = false});
  append_batch_norm(builder, norm, map);
  append_relu(builder, "relu", map);
  builder.model().workspace_bytes = 2 * builder.activation_bytes() * product(map.elements());
  const FeatureMap pooled = append_max_pool(builder, "maxpool", map);
  set_output(builder, pooled);
  return pooled;
}

void append_classifier(ModelBuilder& builder, const FeatureMap& map) {
  builder.begin_layer("fc", LayerRole::head);
  const Linear linear = declare_linear(builder, "fc", "fc", map.channels, classes);
  append_average_pool(builder, "avgpool", map);
  append_linear(builder, linear, {.rows = map.images});
  append_cross_entropy(builder, "loss", map.images, classes);
}

Model build_resnet(const ModelKind& kind, const ModelRequest& asked) {
  const ResNetSize& size = *std::find_if(std::begin(sizes), std::end(sizes),
                                         [&](const auto& row) { return row.name == kind.name; });
  const ModelRequest request = resolved_images(kind, asked);
  ModelBuilder builder(kind, request, std::string(size.title));
  FeatureMap map = append_stem(builder);
  for (std::size_t stage = 0; stage < size.blocks.size(); ++stage) {
    const std::int64_t planes = stem_channels << stage;
    for (int i = 0; i < size.blocks[stage]; ++i) {
      const std::string path = fmt::format("layer{}.{}", stage + 1, i);
      builder.begin_layer(path);
      const std::int64_t stride = i == 0 && stage > 0 ? 2 : 1;
      map = append_block(builder, declare_block(builder, path, size, map.channels, planes, stride),
                         map);
    }
  }
  append_classifier(builder, map);
  return builder.finish();
}

constexpr ModelKind kinds[] = {
    {"resnet-18", "ResNet-18, 224x224 images (torchvision)", 256, 0, "sgd", build_resnet},
    {"resnet-34", "ResNet-34, 224x224 images (torchvision)", 256, 0, "sgd", build_resnet},
    {"resnet-50", "ResNet-50 v1.5, 224x224 images (torchvision)", 256, 0, "sgd", build_resnet},
    {"resnet-101", "ResNet-101 v1.5, 224x224 images (torchvision)", 128, 0, "sgd", build_resnet},
    {"resnet-152", "ResNet-152 v1.5, 224x224 images (torchvision)", 128, 0, "sgd", build_resnet},
    {"resnext50-32x4d", "ResNeXt-50 32x4d, 224x224 images (torchvision)", 128, 0, "sgd",
     build_resnet},
    {"resnext101-32x8d", "ResNeXt-101 32x8d, 224x224 images (torchvision)", 64, 0, "sgd",
     build_resnet},
    {"resnext101-64x4d", "ResNeXt-101 64x4d, 224x224 images (torchvision)", 64, 0, "sgd",
     build_resnet},
    {"wide-resnet-50-2", "Wide ResNet-50-2, 224x224 images (torchvision)", 128, 0, "sgd",
     build_resnet},
    {"wide-resnet-101-2", "Wide ResNet-101-2, 224x224 images (torchvision)", 64, 0, "sgd",
     build_resnet},
};

}  // namespace

std::span<const ModelKind> resnet_kinds() { return kinds; }

}  // namespace dsim
