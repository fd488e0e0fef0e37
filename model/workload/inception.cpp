#include "model/workload/inception.h"

#include <string>
#include <utility>
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

constexpr std::int64_t image_side = 299;
constexpr std::int64_t classes = 1000;

/// A convolution with batch norm and ReLU ("BasicConv2d").
struct Unit {
  std::string name;
  std::int64_t outputs, height = 1, width = 1, stride = 1, padding = -1;
  bool fork = false;  ///< reads what the unit before it reads
};

enum class Pool : std::uint8_t { none, average, max };

/// Units one after the other, behind a pooling of the module's input or none.
struct Branch {
  std::vector<Unit> units;
  Pool pool = Pool::none;
};

using Branches = std::vector<Branch>;

Unit valid(std::string name, std::int64_t outputs, std::int64_t kernel, std::int64_t stride) {
  return {std::move(name), outputs, kernel, kernel, stride, 0};
}

Unit forked(std::string name, std::int64_t outputs, std::int64_t height, std::int64_t width) {
  return {std::move(name), outputs, height, width, 1, -1, true};
}

Branches module_35(std::int64_t pooled) {
  return {{{{"branch1x1", 64}}},
          {{{"branch5x5_1", 48}, {"branch5x5_2", 64, 5, 5}}},
          {{{"branch3x3dbl_1", 64}, {"branch3x3dbl_2", 96, 3, 3}, {"branch3x3dbl_3", 96, 3, 3}}},
          {{{"branch_pool", pooled}}, Pool::average}};
}

Branches reduction_35() {
  return {
      {{valid("branch3x3", 384, 3, 2)}},
      {{{"branch3x3dbl_1", 64}, {"branch3x3dbl_2", 96, 3, 3}, valid("branch3x3dbl_3", 96, 3, 2)}},
      {{}, Pool::max}};
}

Branches module_17(std::int64_t c) {
  return {{{{"branch1x1", 192}}},
          {{{"branch7x7_1", c}, {"branch7x7_2", c, 1, 7}, {"branch7x7_3", 192, 7, 1}}},
          {{{"branch7x7dbl_1", c},
            {"branch7x7dbl_2", c, 7, 1},
            {"branch7x7dbl_3", c, 1, 7},
            {"branch7x7dbl_4", c, 7, 1},
            {"branch7x7dbl_5", 192, 1, 7}}},
          {{{"branch_pool", 192}}, Pool::average}};
}

Branches reduction_17() {
  return {{{{"branch3x3_1", 192}, valid("branch3x3_2", 320, 3, 2)}},
          {{{"branch7x7x3_1", 192},
            {"branch7x7x3_2", 192, 1, 7},
            {"branch7x7x3_3", 192, 7, 1},
            valid("branch7x7x3_4", 192, 3, 2)}},
          {{}, Pool::max}};
}

Branches module_8() {
  return {{{{"branch1x1", 320}}},
          {{{"branch3x3_1", 384}, {"branch3x3_2a", 384, 1, 3}, forked("branch3x3_2b", 384, 3, 1)}},
          {{{"branch3x3dbl_1", 448},
            {"branch3x3dbl_2", 384, 3, 3},
            {"branch3x3dbl_3a", 384, 1, 3},
            forked("branch3x3dbl_3b", 384, 3, 1)}},
          {{{"branch_pool", 192}}, Pool::average}};
}

FeatureMap append_unit(ModelBuilder& builder, const std::string& path, const Unit& unit,
                       const FeatureMap& input, const ConvolutionUse& use = {}) {
  Convolution shape{"", {}, input.channels, unit.outputs, unit.height, unit.stride, 1};
  shape.kernel_width = unit.width;
  shape.padding = unit.padding;
  const Convolution convolution =
      declare_convolution(builder, unit.name + ".conv", path + ".conv", shape);
  const Norm norm = declare_batch_norm(builder, unit.name + ".bn", path + ".bn", unit.outputs);
  const FeatureMap map = append_convolution(builder, convolution, input, use);
  append_batch_norm(builder, norm, map);
  append_relu(builder, unit.name + ".relu", map);
  return map;
}

/// All branches read the module's input; their outputs are concatenated.
FeatureMap append_module(ModelBuilder& builder, const std::string& name, const Branches& branches,
                         const FeatureMap& input) {
  builder.begin_layer(name);
  append_gradient_sum(builder, "input", input.elements(), static_cast<int>(branches.size()));
  FeatureMap joined{input.images, 0, 0};
  bool kept = false;
  for (const Branch& branch : branches) {
    FeatureMap map = input, read = input;
    if (branch.pool == Pool::average)
      map = append_average_pool(builder, "branch_pool.avg", map, {3, 1, 1});
    if (branch.pool == Pool::max) map = append_max_pool(builder, "maxpool", map, {3, 2, 0});
    bool first = branch.pool == Pool::none;
    for (const Unit& unit : branch.units) {
      if (unit.fork) {
        joined.channels += map.channels;
        append_gradient_sum(builder, unit.name + ".input", read.elements(), 2);
      } else {
        read = map;
      }
      map = append_unit(builder, name + '.' + unit.name, unit, read,
                        {.keeps_input = !unit.fork && !(first && kept)});
      kept = kept || first;
      first = false;
    }
    joined.channels += map.channels;
    joined.side = map.side;
  }
  append_concatenation(builder, "cat", joined);
  set_output(builder, joined);
  return joined;
}

FeatureMap append_stem(ModelBuilder& builder) {
  builder.begin_layer("stem", LayerRole::embedding);
  FeatureMap map = append_images(builder, image_side);
  const auto unit = [&](const Unit& shape, bool first = false) {
    map = append_unit(builder, shape.name, shape, map, {.input_gradient = !first});
  };
  unit(valid("Conv2d_1a_3x3", 32, 3, 2), true);
  unit(valid("Conv2d_2a_3x3", 32, 3, 1));
  unit({"Conv2d_2b_3x3", 64, 3, 3});
  builder.model().workspace_bytes = 2 * builder.activation_bytes() * product(map.elements());
  map = append_max_pool(builder, "maxpool1", map, {3, 2, 0});
  unit({"Conv2d_3b_1x1", 80});
  unit(valid("Conv2d_4a_3x3", 192, 3, 1));
  map = append_max_pool(builder, "maxpool2", map, {3, 2, 0});
  set_output(builder, map);
  return map;
}

/// The auxiliary classifier; the network goes on from the same map.
void append_auxiliary(ModelBuilder& builder, const FeatureMap& input) {
  builder.begin_layer("AuxLogits");
  append_gradient_sum(builder, "input", input.elements(), 2);
  FeatureMap map = append_average_pool(builder, "AuxLogits.avgpool", input, {5, 3, 0});
  map = append_unit(builder, "AuxLogits.conv0", {"conv0", 128}, map);
  map = append_unit(builder, "AuxLogits.conv1", valid("conv1", 768, 5, 1), map);
  append_average_pool(builder, "AuxLogits.adaptive", map);
  append_linear(builder, declare_linear(builder, "AuxLogits.fc", "AuxLogits.fc", 768, classes),
                {.rows = map.images});
  append_cross_entropy(builder, "AuxLogits.loss", map.images, classes);
  set_output(builder, input);
}

void append_classifier(ModelBuilder& builder, const FeatureMap& map) {
  builder.begin_layer("fc", LayerRole::head);
  append_average_pool(builder, "avgpool", map);
  append_dropout(builder, "dropout", map.images * map.channels);
  append_linear(builder, declare_linear(builder, "fc", "fc", map.channels, classes),
                {.rows = map.images});
  append_cross_entropy(builder, "loss", map.images, classes);
}

Model build_inception(const ModelKind& kind, const ModelRequest& asked) {
  const ModelRequest request = resolved_images(kind, asked);
  ModelBuilder builder(kind, request, "Inception v3");
  FeatureMap map = append_stem(builder);
  const auto module = [&](const char* name, const Branches& branches) {
    map = append_module(builder, name, branches, map);
  };
  module("Mixed_5b", module_35(32));
  module("Mixed_5c", module_35(64));
  module("Mixed_5d", module_35(64));
  module("Mixed_6a", reduction_35());
  module("Mixed_6b", module_17(128));
  module("Mixed_6c", module_17(160));
  module("Mixed_6d", module_17(160));
  module("Mixed_6e", module_17(192));
  if (kind.name == "inception-v3") append_auxiliary(builder, map);
  module("Mixed_7a", reduction_17());
  module("Mixed_7b", module_8());
  module("Mixed_7c", module_8());
  append_classifier(builder, map);
  return builder.finish();
}

constexpr ModelKind kinds[] = {
    {"inception-v3", "Inception v3 with auxiliary classifier, 299x299 images (torchvision)", 128, 0,
     "sgd", build_inception},
    {"inception-v3-no-aux", "Inception v3 without auxiliary classifier, 299x299 images", 128, 0,
     "sgd", build_inception},
};

}  // namespace

std::span<const ModelKind> inception_kinds() { return kinds; }

}  // namespace dsim
