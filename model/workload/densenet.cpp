#include "model/workload/densenet.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string>

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
constexpr std::int64_t bottleneck = 4;  // of growths

struct DenseNetSize {
  std::string_view name, title;
  std::array<int, 4> layers;
  std::int64_t growth, stem;
};

constexpr DenseNetSize sizes[] = {
    {"densenet-121", "DenseNet-121", {6, 12, 24, 16}, 32, 64},
    {"densenet-161", "DenseNet-161", {6, 12, 36, 24}, 48, 96},
    {"densenet-169", "DenseNet-169", {6, 12, 32, 32}, 32, 64},
    {"densenet-201", "DenseNet-201", {6, 12, 48, 32}, 32, 64},
};

FeatureMap append_stem(ModelBuilder& builder, const DenseNetSize& size) {
  builder.begin_layer("stem", LayerRole::embedding);
  const Convolution convolution =
      declare_convolution(builder, "conv0", "features.conv0", {"", {}, 3, size.stem, 7, 2, 1});
  const Norm norm = declare_batch_norm(builder, "norm0", "features.norm0", size.stem);
  const FeatureMap images = append_images(builder, image_side);
  FeatureMap map = append_convolution(builder, convolution, images, {.input_gradient = false});
  append_batch_norm(builder, norm, map);
  append_relu(builder, "relu0", map);
  builder.model().workspace_bytes = 2 * builder.activation_bytes() * product(map.elements());
  map = append_max_pool(builder, "pool0", map);
  set_output(builder, map);
  return map;
}

/// Norm, ReLU, convolution.
FeatureMap append_unit(ModelBuilder& builder, const std::string& path, const std::string& norm_name,
                       const std::string& name, const Convolution& shape, const FeatureMap& map) {
  const Norm norm = declare_batch_norm(builder, norm_name, path + '.' + norm_name, shape.inputs);
  const Convolution convolution = declare_convolution(builder, name, path + '.' + name, shape);
  append_batch_norm(builder, norm, map);
  append_relu(builder, norm_name + ".relu", map);
  return append_convolution(builder, convolution, map);
}

/// Reads all maps made so far in its block, adds `growth` channels to them.
FeatureMap append_dense_layer(ModelBuilder& builder, const std::string& path, std::int64_t growth,
                              const FeatureMap& input) {
  builder.begin_layer(path);
  // The gradient of what is read here joins that of the layers after it.
  append_gradient_sum(builder, "features", input.elements(), 2);
  append_concatenation(builder, "cat", input);
  const FeatureMap narrow =
      append_unit(builder, path, "norm1", "conv1",
                  {"", {}, input.channels, bottleneck * growth, 1, 1, 1}, input);
  append_unit(builder, path, "norm2", "conv2", {"", {}, bottleneck * growth, growth, 3, 1, 1},
              narrow);
  const FeatureMap output{input.images, input.channels + growth, input.side};
  set_output(builder, output);
  return output;
}

FeatureMap append_transition(ModelBuilder& builder, const std::string& path,
                             const FeatureMap& input) {
  builder.begin_layer(path);
  append_concatenation(builder, "cat", input);
  FeatureMap map = append_unit(builder, path, "norm", "conv",
                               {"", {}, input.channels, input.channels / 2, 1, 1, 1}, input);
  map = append_average_pool(builder, "pool", map, {2, 2, 0});
  set_output(builder, map);
  return map;
}

void append_classifier(ModelBuilder& builder, const FeatureMap& map) {
  builder.begin_layer("classifier", LayerRole::head);
  append_concatenation(builder, "cat", map);
  const Norm norm = declare_batch_norm(builder, "norm5", "features.norm5", map.channels);
  append_batch_norm(builder, norm, map);
  append_relu(builder, "relu", map);
  append_average_pool(builder, "avgpool", map);
  append_linear(builder, declare_linear(builder, "classifier", "classifier", map.channels, classes),
                {.rows = map.images});
  append_cross_entropy(builder, "loss", map.images, classes);
}

Model build_densenet(const ModelKind& kind, const ModelRequest& asked) {
  const DenseNetSize& size = *std::find_if(std::begin(sizes), std::end(sizes),
                                           [&](const auto& row) { return row.name == kind.name; });
  const ModelRequest request = resolved_images(kind, asked);
  ModelBuilder builder(kind, request, std::string(size.title));
  FeatureMap map = append_stem(builder, size);
  for (std::size_t block = 0; block < size.layers.size(); ++block) {
    for (int layer = 1; layer <= size.layers[block]; ++layer)
      map = append_dense_layer(builder,
                               fmt::format("features.denseblock{}.denselayer{}", block + 1, layer),
                               size.growth, map);
    if (block + 1 < size.layers.size())
      map = append_transition(builder, fmt::format("features.transition{}", block + 1), map);
  }
  append_classifier(builder, map);
  return builder.finish();
}

constexpr ModelKind kinds[] = {
    {"densenet-121", "DenseNet-121, 224x224 images (torchvision)", 64, 0, "sgd", build_densenet},
    {"densenet-161", "DenseNet-161, 224x224 images (torchvision)", 64, 0, "sgd", build_densenet},
    {"densenet-169", "DenseNet-169, 224x224 images (torchvision)", 64, 0, "sgd", build_densenet},
    {"densenet-201", "DenseNet-201, 224x224 images (torchvision)", 64, 0, "sgd", build_densenet},
};

}  // namespace

std::span<const ModelKind> densenet_kinds() { return kinds; }

}  // namespace dsim
