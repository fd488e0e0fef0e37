#include "model/workload/bert.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "model/workload/blocks/attention.h"
#include "model/workload/blocks/elementwise.h"
#include "model/workload/blocks/embedding.h"
#include "model/workload/blocks/loss.h"
#include "model/workload/blocks/mlp.h"
#include "model/workload/blocks/norm.h"
#include "model/workload/builder.h"
#include "model/workload/kernels.h"

namespace dsim {
namespace {

constexpr std::int64_t vocabulary = 30522;
constexpr std::int64_t positions = 512;
constexpr std::int64_t segments = 2;

struct BertSize {
  std::string_view name, title;
  int layers;
  std::int64_t hidden, heads;
};

constexpr BertSize sizes[] = {
    {"bert-base", "BERT-base", 12, 768, 12},
    {"bert-large", "BERT-large", 24, 1024, 16},
};

/// The shapes of one micro-batch.
struct Shape {
  std::int64_t batch, sequence, hidden, heads;
  std::int64_t tokens() const { return batch * sequence; }
};

Embedding append_embeddings(ModelBuilder& builder, const Shape& shape) {
  builder.begin_layer("embeddings", LayerRole::embedding);
  const std::string path = "bert.embeddings.";
  const Embedding word = declare_embedding(builder, "word_embeddings", path + "word_embeddings",
                                           vocabulary, shape.hidden);
  const Embedding position = declare_embedding(
      builder, "position_embeddings", path + "position_embeddings", positions, shape.hidden);
  const Embedding segment = declare_embedding(
      builder, "token_type_embeddings", path + "token_type_embeddings", segments, shape.hidden);
  const Norm norm = declare_layer_norm(builder, "LayerNorm", path + "LayerNorm", shape.hidden);

  const std::int64_t elements = shape.tokens() * shape.hidden;
  append_embedding(builder, word, shape.tokens(), true);
  append_embedding(builder, segment, shape.tokens());
  append_embedding_sum(builder, "segment_sum", elements, 1);
  append_embedding(builder, position, shape.sequence);
  append_embedding_sum(builder, "position_sum", elements, shape.batch);
  append_layer_norm(builder, norm, shape.tokens(), false);
  append_dropout(builder, "dropout", elements);
  builder.layer().output_bytes = builder.activation_bytes() * product(elements);
  return word;
}

/// A post-norm encoder layer: x = norm(x + f(x)) for attention, then for the MLP.
void append_encoder_layer(ModelBuilder& builder, const Shape& shape, int index) {
  const std::string name = fmt::format("encoder.layer.{}", index);
  const std::string path = "bert." + name;
  const std::int64_t h = shape.hidden;
  builder.begin_layer(name);
  Attention attention;
  for (const char* which : {"query", "key", "value"})
    attention.projections.push_back(declare_linear(builder, fmt::format("attention.{}", which),
                                                   path + ".attention.self." + which, h, h));
  attention.output =
      declare_linear(builder, "attention.output", path + ".attention.output.dense", h, h);
  const Norm attention_norm =
      declare_layer_norm(builder, "attention.LayerNorm", path + ".attention.output.LayerNorm", h);
  const Linear up = declare_linear(builder, "intermediate", path + ".intermediate.dense", h, 4 * h);
  const Linear down = declare_linear(builder, "output", path + ".output.dense", 4 * h, h);
  const Norm output_norm = declare_layer_norm(builder, "LayerNorm", path + ".output.LayerNorm", h);

  const std::int64_t elements = shape.tokens() * h;
  append_gradient_sum(builder, "attention", elements, 4);  // query, key, value, residual
  append_attention(builder, attention, {shape.batch, shape.heads, h / shape.heads, shape.sequence});
  append_residual_add(builder, "attention.residual", elements, true);
  append_layer_norm(builder, attention_norm, shape.tokens(), true);
  append_gradient_sum(builder, "intermediate", elements, 2);
  append_mlp(builder, {up, down}, shape.tokens());
  append_residual_add(builder, "output.residual", elements, true);
  append_layer_norm(builder, output_norm, shape.tokens(), true);
  builder.layer().output_bytes = builder.activation_bytes() * product(elements);
}

void append_pooler(ModelBuilder& builder, const Shape& shape) {
  builder.begin_layer("pooler", LayerRole::head);
  const Linear pooler =
      declare_linear(builder, "pooler", "bert.pooler.dense", shape.hidden, shape.hidden);
  append_gradient_sum(builder, "sequence_output", shape.tokens() * shape.hidden, 2);
  append_row_selection(builder, "first_token", shape.tokens(), shape.batch, shape.hidden);
  append_linear(builder, pooler, {.rows = shape.batch});
  append_tanh(builder, "pooler.tanh", shape.batch * shape.hidden);
  builder.layer().output_bytes =
      builder.activation_bytes() * product(shape.tokens() + shape.batch, shape.hidden);
}

/// Masked language model on the masked positions only, and next sentence.
void append_heads(ModelBuilder& builder, const Shape& shape, const Embedding& word) {
  builder.begin_layer("heads", LayerRole::head);
  const std::int64_t h = shape.hidden;
  // A module's own tensors come before those of its children.
  Linear decoder{"predictions.decoder", word.weight,
                 builder.parameter("cls.predictions.bias", {vocabulary}), h, vocabulary};
  const Linear transform =
      declare_linear(builder, "predictions.transform", "cls.predictions.transform.dense", h, h);
  const Norm norm = declare_layer_norm(builder, "predictions.LayerNorm",
                                       "cls.predictions.transform.LayerNorm", h);
  const Linear relation =
      declare_linear(builder, "seq_relationship", "cls.seq_relationship", h, segments);

  const std::int64_t masked = shape.batch * bert_predictions(shape.sequence);
  append_row_selection(builder, "masked_positions", shape.tokens(), masked, h);
  append_linear(builder, transform, {.rows = masked});
  append_gelu(builder, "predictions.gelu", masked * h);
  append_layer_norm(builder, norm, masked, false);
  append_linear(builder, decoder, {.rows = masked, .tied_weight = true});
  append_linear(builder, relation, {.rows = shape.batch, .keeps_input = false});
  append_cross_entropy(builder, "masked_lm_loss", masked, vocabulary);
  append_cross_entropy(builder, "next_sentence_loss", shape.batch, segments);
}

Model build_bert(const ModelKind& kind, const ModelRequest& asked) {
  const BertSize& size = *std::find_if(std::begin(sizes), std::end(sizes),
                                       [&](const auto& row) { return row.name == kind.name; });
  require_whole(kind, asked.sharding);
  const ModelRequest request = resolved(kind, asked, positions);
  ModelBuilder builder(kind, request, std::string(size.title));
  const Shape shape{request.micro_batch, request.sequence, size.hidden, size.heads};
  const Embedding word = append_embeddings(builder, shape);
  for (int layer = 0; layer < size.layers; ++layer) append_encoder_layer(builder, shape, layer);
  append_pooler(builder, shape);
  append_heads(builder, shape, word);

  Model& model = builder.model();
  // Gradients of the MLP's inner activation: of GELU's output and of its input.
  model.workspace_bytes =
      std::max(model.workspace_bytes,
               2 * builder.activation_bytes() * product(shape.tokens(), 4 * size.hidden));
  // int64 ids, segments, attention mask and labels of each token, and a label a sequence
  model.input_bytes = 8 * product(shape.batch) * (4 * product(shape.sequence) + 1);
  return builder.finish();
}

constexpr ModelKind kinds[] = {
    {"bert-base", "BERT-base pretraining, 110 M parameters", 64, 512, "lamb", build_bert},
    {"bert-large", "BERT-large pretraining, 336 M parameters", 32, 512, "lamb", build_bert},
};

}  // namespace

std::span<const ModelKind> bert_kinds() { return kinds; }

std::int64_t bert_predictions(std::int64_t sequence) { return (5 * sequence + 31) / 32; }

}  // namespace dsim
