#include "model/workload/gnmt.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "model/workload/blocks/elementwise.h"
#include "model/workload/blocks/embedding.h"
#include "model/workload/blocks/linear.h"
#include "model/workload/blocks/loss.h"
#include "model/workload/blocks/lstm.h"
#include "model/workload/builder.h"
#include "model/workload/kernels.h"

namespace dsim {
namespace {

constexpr std::int64_t vocabulary = 32320;  // 32,317 byte pairs, a multiple of 8
constexpr std::int64_t hidden = 1024;
constexpr int layers = 4;
constexpr std::int64_t longest = 1024;
constexpr int first_residual = 2;  // layers from here on add their input to their output

/// The shapes of one micro-batch: sources and targets are equally long.
struct Shape {
  std::int64_t batch, steps;
  std::int64_t rows() const { return batch * steps; }
  std::int64_t elements() const { return rows() * hidden; }
};

void set_outputs(ModelBuilder& builder, const Shape& shape, int tensors) {
  builder.layer().output_bytes = builder.activation_bytes() * tensors * product(shape.elements());
}

/// Registered with its first use; the module lists it behind the encoder's layers.
Embedding append_source_embedding(ModelBuilder& builder, const Shape& shape) {
  builder.begin_layer("encoder.embedder", LayerRole::embedding);
  const Embedding table =
      declare_embedding(builder, "embedder", "encoder.embedder", vocabulary, hidden);
  append_embedding(builder, table, shape.rows(), true);
  set_outputs(builder, shape, 1);
  return table;
}

void append_encoder(ModelBuilder& builder, const Shape& shape) {
  for (int i = 0; i < layers; ++i) {
    const std::string name = fmt::format("encoder.rnn_layers.{}", i);
    builder.begin_layer(name);
    const std::int64_t inputs = i == 1 ? 2 * hidden : hidden;
    if (i >= first_residual) append_gradient_sum(builder, "input", shape.elements(), 2);
    append_dropout(builder, "dropout", shape.rows() * inputs);
    std::vector<Lstm> directions{declare_lstm(builder, "lstm", name, "", inputs, hidden)};
    if (i == 0)
      directions.push_back(declare_lstm(builder, "lstm.reverse", name, "_reverse", inputs, hidden));
    append_lstm(builder, directions, shape.batch, shape.steps);
    if (i >= first_residual) append_residual_add(builder, "residual", shape.elements(), false);
    set_outputs(builder, shape, i == 0 ? 2 : 1);
  }
}

/// Additive attention with normalised weights: score = v tanh(q + k + b) for every pair.
void append_attention(ModelBuilder& builder, const Shape& shape) {
  const std::string path = "decoder.att_rnn.attn.";
  const double e = builder.activation_bytes();
  const std::int64_t b = shape.batch, s = shape.steps;
  // A module's own tensors come before those of its children.
  const ParameterId v = builder.parameter(path + "linear_att", {hidden}),
                    scalar = builder.parameter(path + "normalize_scalar", {1}),
                    bias = builder.parameter(path + "normalize_bias", {hidden});
  const auto linear = [&](const char* name) {
    return Linear{std::string("attention.") + name,
                  builder.parameter(path + name + ".weight", {hidden, hidden}),
                  {},
                  hidden,
                  hidden};
  };
  const Linear queries = linear("linear_q"), keys = linear("linear_k");
  append_gradient_sum(builder, "attention.memory", shape.elements(), 3);
  append_linear(builder, queries, {.rows = shape.rows()});
  append_linear(builder, keys, {.rows = shape.rows(), .keeps_input = false});

  // eager: sum, bias and tanh each make a tensor of all pairs; fused kernels read queries and keys
  // and write scores. Passes counted from the source of the module.
  const bool fused = builder.fusion() != Fusion::eager;
  const double pairs = e * product(b, s, s, hidden), scores = e * product(b, s, s);
  Operation score;
  score.forward = {memory_kernel(
      "attention.scores", Pass::forward,
      (fused ? 0 : 6) * pairs + 2 * e * product(shape.elements()) + scores, fused ? 1 : 4)};
  score.backward = {memory_kernel(
      "attention.scores.backward", Pass::wgrad,
      (fused ? 0 : 8) * pairs + 4 * e * product(shape.elements()) + scores, fused ? 3 : 6)};
  score.backward.back().completes = {v, scalar, bias};
  score.saved_bytes = (fused ? 0 : 1) * pairs + 2 * e * product(shape.elements());
  builder.append(std::move(score));

  Operation softmax;
  softmax.forward = {memory_kernel("attention.softmax", Pass::forward, 4 * scores, 2)};
  softmax.backward = {memory_kernel("attention.softmax.backward", Pass::dgrad, 3 * scores)};
  softmax.saved_bytes = scores;
  builder.append(std::move(softmax));

  const GemmSize to_context{s, hidden, s, b}, to_scores{s, s, hidden, b};
  Operation context;
  context.forward = {gemm_kernel("attention.context", Pass::forward, to_context, e, e)};
  context.backward = {gemm_kernel("attention.context.dscores", Pass::dgrad, to_scores, e, e),
                      gemm_kernel("attention.context.dmemory", Pass::dgrad, to_context, e, e)};
  context.model_flops = to_context.flops();
  builder.append(std::move(context));
}

void append_decoder(ModelBuilder& builder, const Shape& shape, const Embedding& table) {
  builder.begin_layer("decoder.att_rnn");
  const double pass = builder.activation_bytes() * product(shape.elements());
  const double dense = 4 * product(table.rows, table.width);
  Operation lookup;  // of the encoder's table, whose own lookup completes the gradient
  lookup.forward = {memory_kernel("embedder", Pass::forward, 2 * pass)};
  lookup.backward = {memory_kernel("embedder.scatter_add", Pass::wgrad, 3 * pass + dense, 12)};
  lookup.saved_bytes = 8 * product(shape.rows());
  builder.append(std::move(lookup));
  append_dropout(builder, "dropout", shape.elements());
  append_lstm(builder, {declare_lstm(builder, "lstm", "decoder.att_rnn.rnn", "", hidden, hidden)},
              shape.batch, shape.steps);
  append_attention(builder, shape);
  set_outputs(builder, shape, 2);  // its own output and the context
  for (int i = 0; i + 1 < layers; ++i) {
    const std::string name = fmt::format("decoder.rnn_layers.{}", i);
    builder.begin_layer(name);
    append_gradient_sum(builder, "input", shape.elements(), 2);  // of the context, of the residual
    append_copy(builder, "cat", 2 * shape.elements(), 2, 0, 1);
    append_dropout(builder, "dropout", 2 * shape.elements());
    append_lstm(builder, {declare_lstm(builder, "lstm", name, "", 2 * hidden, hidden)}, shape.batch,
                shape.steps);
    if (i > 0) append_residual_add(builder, "residual", shape.elements(), false);
    set_outputs(builder, shape, 2);
  }
}

void append_classifier(ModelBuilder& builder, const Shape& shape) {
  builder.begin_layer("classifier", LayerRole::head);
  append_linear(
      builder,
      declare_linear(builder, "classifier", "decoder.classifier.classifier", hidden, vocabulary),
      {.rows = shape.rows()});
  append_cross_entropy(builder, "loss", shape.rows(), vocabulary);
}

Model build_gnmt(const ModelKind& kind, const ModelRequest& asked) {
  require_whole(kind, asked.sharding);
  const ModelRequest request = resolved(kind, asked, longest);
  ModelBuilder builder(kind, request, "GNMT v2");
  const Shape shape{request.micro_batch, request.sequence};
  const Embedding table = append_source_embedding(builder, shape);
  append_encoder(builder, shape);
  append_decoder(builder, shape, table);
  append_classifier(builder, shape);
  builder.model().input_bytes = 8 * product(shape.batch) * (3 * product(shape.steps) + 2);
  return builder.finish();
}

// WMT 2016 en-de: 25 to 30 tokens a sentence, padded within buckets of like length.
constexpr ModelKind kinds[] = {
    {"gnmt", "GNMT v2 translation (WMT en-de), 160.7 M parameters", 128, 32, "adam", build_gnmt},
};

}  // namespace

std::span<const ModelKind> gnmt_kinds() { return kinds; }

}  // namespace dsim
