#include "model/workload/vgg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

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
constexpr std::int64_t dense_width = 4096;

/// A convolution with bias and ReLU; a max pooling may follow.
struct Stage {
  std::int64_t outputs, kernel, stride, padding;
  bool pooled;
};

struct PlainNetwork {
  std::string title;
  std::vector<Stage> stages;
  Pooling pooling;
  bool dropout_first;  ///< AlexNet drops the input of its dense layers, VGG their outputs
};

PlainNetwork alexnet() {
  return {"AlexNet",
          {{64, 11, 4, 2, true},
           {192, 5, 1, 2, true},
           {384, 3, 1, 1, false},
           {256, 3, 1, 1, false},
           {256, 3, 1, 1, true}},
          {3, 2, 0},
          true};
}

/// `repeats` convolutions of 3x3 at each of the five resolutions.
PlainNetwork vgg(int layers, const std::array<int, 5>& repeats) {
  constexpr std::int64_t channels[] = {64, 128, 256, 512, 512};
  PlainNetwork network{fmt::format("VGG-{}", layers), {}, {2, 2, 0}, false};
  for (std::size_t stage = 0; stage < repeats.size(); ++stage)
    for (int i = 1; i <= repeats[stage]; ++i)
      network.stages.push_back({channels[stage], 3, 1, 1, i == repeats[stage]});
  return network;
}

PlainNetwork network_of(std::string_view name) {
  if (name == "vgg-11") return vgg(11, {1, 1, 2, 2, 2});
  if (name == "vgg-13") return vgg(13, {2, 2, 2, 2, 2});
  if (name == "vgg-16") return vgg(16, {2, 2, 3, 3, 3});
  if (name == "vgg-19") return vgg(19, {2, 2, 4, 4, 4});
  return alexnet();
}

FeatureMap append_features(ModelBuilder& builder, const PlainNetwork& network) {
  FeatureMap map;
  int index = 0;  // of the module in torchvision's nn.Sequential
  for (const Stage& stage : network.stages) {
    const bool first = index == 0;
    const std::string name = fmt::format("features.{}", index);
    builder.begin_layer(name, first ? LayerRole::embedding : LayerRole::block);
    if (first) map = append_images(builder, image_side);
    Convolution shape{"", {}, map.channels, stage.outputs, stage.kernel, stage.stride};
    shape.padding = stage.padding;
    shape.biased = true;
    map = append_convolution(builder, declare_convolution(builder, name, name, shape), map,
                             {.input_gradient = !first});
    append_relu(builder, fmt::format("features.{}", index + 1), map);
    Model& model = builder.model();
    model.workspace_bytes =
        std::max(model.workspace_bytes, 2 * builder.activation_bytes() * product(map.elements()));
    index += 2;
    if (stage.pooled)
      map = append_max_pool(builder, fmt::format("features.{}", index++), map, network.pooling);
    set_output(builder, map);
  }
  return map;
}

void append_dense(ModelBuilder& builder, const PlainNetwork& network, const FeatureMap& map) {
  const std::int64_t images = map.images;
  const std::int64_t inputs = map.channels * map.side * map.side;
  int index = network.dropout_first ? 1 : 0;
  const std::int64_t widths[] = {inputs, dense_width, dense_width, classes};
  for (std::size_t i = 0; i < 3; ++i, index += 3) {
    const bool last = i == 2;
    if (last && network.dropout_first) --index;
    const std::string name = fmt::format("classifier.{}", index);
    builder.begin_layer(name, LayerRole::head);
    if (i == 0) append_average_pool(builder, "avgpool", map, {1, 1, 0});
    if (network.dropout_first && !last)
      append_dropout(builder, fmt::format("classifier.{}", index - 1), images * widths[i]);
    append_linear(builder, declare_linear(builder, name, name, widths[i], widths[i + 1]),
                  {.rows = images});
    if (!last) append_relu(builder, name + ".relu", {images, widths[i + 1], 1});
    if (!last && !network.dropout_first)
      append_dropout(builder, name + ".dropout", images * widths[i + 1]);
    set_output(builder, {images, widths[i + 1], 1});
  }
  append_cross_entropy(builder, "loss", images, classes);
}

Model build_plain(const ModelKind& kind, const ModelRequest& asked) {
  const ModelRequest request = resolved_images(kind, asked);
  const PlainNetwork network = network_of(kind.name);
  ModelBuilder builder(kind, request, network.title);
  const FeatureMap map = append_features(builder, network);
  append_dense(builder, network, map);
  return builder.finish();
}

constexpr ModelKind kinds[] = {
    {"alexnet", "AlexNet, 224x224 images (torchvision)", 256, 0, "sgd", build_plain},
    {"vgg-11", "VGG-11, 224x224 images (torchvision)", 128, 0, "sgd", build_plain},
    {"vgg-13", "VGG-13, 224x224 images (torchvision)", 64, 0, "sgd", build_plain},
    {"vgg-16", "VGG-16, 224x224 images (torchvision)", 64, 0, "sgd", build_plain},
    {"vgg-19", "VGG-19, 224x224 images (torchvision)", 64, 0, "sgd", build_plain},
};

}  // namespace

std::span<const ModelKind> vgg_kinds() { return kinds; }

}  // namespace dsim
