#include "model/workload/vit.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "model/workload/blocks/attention.h"
#include "model/workload/blocks/elementwise.h"
#include "model/workload/blocks/image.h"
#include "model/workload/blocks/loss.h"
#include "model/workload/blocks/mlp.h"
#include "model/workload/blocks/norm.h"
#include "model/workload/builder.h"
#include "model/workload/kernels.h"

namespace dsim {
namespace {

constexpr std::int64_t image_side = 224;
constexpr std::int64_t classes = 1000;

struct VitSize {
  std::string_view name, title;
  std::int64_t patch;
  int layers;
  std::int64_t hidden, heads;
};

constexpr VitSize sizes[] = {
    {"vit-b/16", "ViT-B/16", 16, 12, 768, 12},  {"vit-b/32", "ViT-B/32", 32, 12, 768, 12},
    {"vit-l/16", "ViT-L/16", 16, 24, 1024, 16}, {"vit-l/32", "ViT-L/32", 32, 24, 1024, 16},
    {"vit-h/14", "ViT-H/14", 14, 32, 1280, 16},
};

/// The shapes of one micro-batch; `tokens` of an image are its patches and the class token.
struct Shape {
  std::int64_t images, tokens, hidden, heads;
  std::int64_t rows() const { return images * tokens; }
  std::int64_t elements() const { return rows() * hidden; }
};

double output_bytes(const ModelBuilder& builder, const Shape& shape) {
  return builder.activation_bytes() * product(shape.elements());
}

Shape append_patches(ModelBuilder& builder, const VitSize& size) {
  builder.begin_layer("embeddings", LayerRole::embedding);
  const std::int64_t h = size.hidden, side = image_side / size.patch, tokens = side * side + 1;
  // A module's own tensors come before those of its children.
  const ParameterId class_token = builder.parameter("class_token", {1, 1, h});
  Convolution patches{"", {}, 3, h, size.patch, size.patch};
  patches.padding = 0;
  patches.biased = true;
  patches = declare_convolution(builder, "conv_proj", "conv_proj", patches);
  const ParameterId positions = builder.parameter("encoder.pos_embedding", {1, tokens, h});

  const FeatureMap images = append_images(builder, image_side);
  const FeatureMap map = append_convolution(builder, patches, images, {.input_gradient = false});
  const Shape shape{map.images, tokens, h, size.heads};
  const double pass = output_bytes(builder, shape);
  Operation joined;  // the class token before the patches, which are transposed on the way
  joined.forward = {memory_kernel("class_token.cat", Pass::forward, 2 * pass)};
  joined.backward = {memory_kernel("class_token.gradient", Pass::wgrad,
                                   builder.activation_bytes() * product(map.images, h)),
                     memory_kernel("patches.transpose", Pass::dgrad, 2 * pass)};
  joined.backward.front().completes = {class_token};
  builder.append(std::move(joined));
  Operation placed;
  placed.forward = {memory_kernel("pos_embedding.add", Pass::forward, 2 * pass)};
  placed.backward = {memory_kernel("pos_embedding.gradient", Pass::wgrad, pass)};
  placed.backward.back().completes = {positions};
  builder.append(std::move(placed));
  builder.layer().output_bytes = pass;
  return shape;
}

/// A pre-norm layer; torchvision trains these networks without dropout.
void append_encoder_layer(ModelBuilder& builder, const Shape& shape, int index) {
  const std::string name = fmt::format("encoder_layer_{}", index);
  const std::string path = "encoder.layers." + name;
  const std::int64_t h = shape.hidden;
  builder.begin_layer(name);
  const Norm attention_norm = declare_layer_norm(builder, "ln_1", path + ".ln_1", h);
  Attention attention;
  Linear projection{"self_attention.in_proj", {}, {}, h, 3 * h};
  projection.weight = builder.parameter(path + ".self_attention.in_proj_weight", {3 * h, h});
  projection.bias = builder.parameter(path + ".self_attention.in_proj_bias", {3 * h});
  attention.projections = {projection};
  attention.output =
      declare_linear(builder, "self_attention.out_proj", path + ".self_attention.out_proj", h, h);
  const Norm mlp_norm = declare_layer_norm(builder, "ln_2", path + ".ln_2", h);
  const Linear up = declare_linear(builder, "mlp.0", path + ".mlp.0", h, 4 * h);
  const Linear down = declare_linear(builder, "mlp.3", path + ".mlp.3", 4 * h, h);

  append_gradient_sum(builder, "ln_1", shape.elements(), 2);
  append_layer_norm(builder, attention_norm, shape.rows(), true);
  append_attention(builder, attention,
                   {.batch = shape.images,
                    .heads = shape.heads,
                    .head_size = h / shape.heads,
                    .sequence = shape.tokens,
                    .dropout = false});
  append_residual_add(builder, "self_attention.residual", shape.elements(), false);
  append_gradient_sum(builder, "ln_2", shape.elements(), 2);
  append_layer_norm(builder, mlp_norm, shape.rows(), true);
  append_mlp(builder, {up, down}, shape.rows());
  append_residual_add(builder, "mlp.residual", shape.elements(), false);
  builder.layer().output_bytes = output_bytes(builder, shape);
}

void append_head(ModelBuilder& builder, const Shape& shape) {
  builder.begin_layer("head", LayerRole::head);
  const Norm norm = declare_layer_norm(builder, "ln", "encoder.ln", shape.hidden);
  append_layer_norm(builder, norm, shape.rows(), false);
  append_row_selection(builder, "class_token", shape.rows(), shape.images, shape.hidden);
  append_linear(builder, declare_linear(builder, "heads.head", "heads.head", shape.hidden, classes),
                {.rows = shape.images});
  append_cross_entropy(builder, "loss", shape.images, classes);
}

Model build_vit(const ModelKind& kind, const ModelRequest& asked) {
  const VitSize& size = *std::find_if(std::begin(sizes), std::end(sizes),
                                      [&](const auto& row) { return row.name == kind.name; });
  const ModelRequest request = resolved_images(kind, asked);
  ModelBuilder builder(kind, request, std::string(size.title));
  const Shape shape = append_patches(builder, size);
  for (int layer = 0; layer < size.layers; ++layer) append_encoder_layer(builder, shape, layer);
  append_head(builder, shape);
  Model& model = builder.model();
  model.workspace_bytes = std::max(model.workspace_bytes, 8 * output_bytes(builder, shape));
  return builder.finish();
}

constexpr ModelKind kinds[] = {
    {"vit-b/16", "ViT-B/16, 224x224 images (torchvision)", 128, 0, "adamw", build_vit},
    {"vit-b/32", "ViT-B/32, 224x224 images (torchvision)", 128, 0, "adamw", build_vit},
    {"vit-l/16", "ViT-L/16, 224x224 images (torchvision)", 64, 0, "adamw", build_vit},
    {"vit-l/32", "ViT-L/32, 224x224 images (torchvision)", 64, 0, "adamw", build_vit},
    {"vit-h/14", "ViT-H/14, 224x224 images (torchvision)", 32, 0, "adamw", build_vit},
};

}  // namespace

std::span<const ModelKind> vit_kinds() { return kinds; }

}  // namespace dsim
