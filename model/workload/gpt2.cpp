#include "model/workload/gpt2.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "model/workload/blocks/attention.h"
#include "model/workload/blocks/elementwise.h"
#include "model/workload/blocks/embedding.h"
#include "model/workload/blocks/loss.h"
#include "model/workload/blocks/mlp.h"
#include "model/workload/blocks/norm.h"
#include "model/workload/builder.h"
#include "model/workload/kernels.h"
#include "model/workload/transformer/kinds.h"

namespace dsim {
namespace {

constexpr std::int64_t vocabulary = 50257;
constexpr std::int64_t positions = 1024;

struct Gpt2Size {
  std::string_view name, title;
  int layers;
  std::int64_t hidden, heads;
};

constexpr Gpt2Size sizes[] = {
    {"gpt2", "GPT-2 small", 12, 768, 12},
    {"gpt2-medium", "GPT-2 medium", 24, 1024, 16},
    {"gpt2-large", "GPT-2 large", 36, 1280, 20},
    {"gpt2-xl", "GPT-2 XL", 48, 1600, 25},
};

/// The shapes of one micro-batch.
struct Shape {
  std::int64_t batch, sequence, hidden, heads;
  std::int64_t tokens() const { return batch * sequence; }
};

Embedding append_embeddings(ModelBuilder& builder, const Shape& shape) {
  builder.begin_layer("embeddings", LayerRole::embedding);
  const Embedding token =
      declare_embedding(builder, "wte", "transformer.wte", vocabulary, shape.hidden);
  const Embedding position =
      declare_embedding(builder, "wpe", "transformer.wpe", positions, shape.hidden);
  const std::int64_t elements = shape.tokens() * shape.hidden;
  append_embedding(builder, token, shape.tokens(), true);
  append_embedding(builder, position, shape.sequence);
  append_embedding_sum(builder, "position_sum", elements, shape.batch);
  append_dropout(builder, "dropout", elements);
  builder.layer().output_bytes = builder.activation_bytes() * product(elements);
  return token;
}

/// A pre-norm decoder layer: x = x + f(norm(x)) for attention, then for the MLP.
void append_decoder_layer(ModelBuilder& builder, const Shape& shape, int index) {
  const std::string name = fmt::format("h.{}", index);
  const std::string path = "transformer." + name;
  const std::int64_t h = shape.hidden;
  const auto conv1d = [&](const std::string& label, std::int64_t inputs, std::int64_t outputs) {
    return declare_linear(builder, label, path + '.' + label, inputs, outputs,
                          WeightLayout::in_out);
  };
  builder.begin_layer(name);
  const Norm attention_norm = declare_layer_norm(builder, "ln_1", path + ".ln_1", h);
  Attention attention;
  attention.projections = {conv1d("attn.c_attn", h, 3 * h)};
  attention.output = conv1d("attn.c_proj", h, h);
  const Norm mlp_norm = declare_layer_norm(builder, "ln_2", path + ".ln_2", h);
  const Linear up = conv1d("mlp.c_fc", h, 4 * h);
  const Linear down = conv1d("mlp.c_proj", 4 * h, h);

  const std::int64_t elements = shape.tokens() * h;
  append_gradient_sum(builder, "ln_1", elements, 2);
  append_layer_norm(builder, attention_norm, shape.tokens(), true);
  append_attention(builder, attention,
                   {shape.batch, shape.heads, h / shape.heads, shape.sequence, true});
  append_residual_add(builder, "attn.residual", elements, true);
  append_gradient_sum(builder, "ln_2", elements, 2);
  append_layer_norm(builder, mlp_norm, shape.tokens(), true);
  append_mlp(builder, {up, down}, shape.tokens());
  append_residual_add(builder, "mlp.residual", elements, true);
  builder.layer().output_bytes = builder.activation_bytes() * product(elements);
}

void append_head(ModelBuilder& builder, const Shape& shape, const Embedding& token) {
  builder.begin_layer("head", LayerRole::head);
  const Norm norm = declare_layer_norm(builder, "ln_f", "transformer.ln_f", shape.hidden);
  append_layer_norm(builder, norm, shape.tokens(), false);
  append_linear(builder, {"lm_head", token.weight, {}, shape.hidden, vocabulary},
                {.rows = shape.tokens(), .tied_weight = true});
  append_cross_entropy(builder, "loss", shape.tokens(), vocabulary);
}

Model build_gpt2(const ModelKind& kind, const ModelRequest& asked) {
  const Gpt2Size& size = *std::find_if(std::begin(sizes), std::end(sizes),
                                       [&](const auto& row) { return row.name == kind.name; });
  if (asked.sharding.tensor > 1 || asked.sharding.context > 1)
    return build_transformer(kind, asked);
  require_whole(kind, asked.sharding);
  const ModelRequest request = resolved(kind, asked, positions);
  ModelBuilder builder(kind, request, std::string(size.title));
  const Shape shape{request.micro_batch, request.sequence, size.hidden, size.heads};
  const Embedding token = append_embeddings(builder, shape);
  for (int layer = 0; layer < size.layers; ++layer) append_decoder_layer(builder, shape, layer);
  append_head(builder, shape, token);

  Model& model = builder.model();
  model.workspace_bytes =
      std::max(model.workspace_bytes,
               2 * builder.activation_bytes() * product(shape.tokens(), 4 * size.hidden));
  model.input_bytes = 2 * 8 * product(shape.tokens());  // int64 ids and labels
  return builder.finish();
}

/// The same networks cut over ranks: fused dimensions as Megatron-LM splits them.
constexpr TransformerConfig sharded[] = {
    gpt("GPT-2 small", 12, 768, 12, vocabulary, positions),
    gpt("GPT-2 medium", 24, 1024, 16, vocabulary, positions),
    gpt("GPT-2 large", 36, 1280, 20, vocabulary, positions),
    gpt("GPT-2 XL", 48, 1600, 25, vocabulary, positions),
};

constexpr ModelKind kinds[] = {
    {"gpt2", "GPT-2 small, 124 M parameters", 16, 1024, "adamw", build_gpt2, &sharded[0]},
    {"gpt2-medium", "GPT-2 medium, 355 M parameters", 16, 1024, "adamw", build_gpt2, &sharded[1]},
    {"gpt2-large", "GPT-2 large, 774 M parameters", 8, 1024, "adamw", build_gpt2, &sharded[2]},
    {"gpt2-xl", "GPT-2 XL, 1.56 G parameters", 4, 1024, "adamw", build_gpt2, &sharded[3]},
};

}  // namespace

std::span<const ModelKind> gpt2_kinds() { return kinds; }

}  // namespace dsim
