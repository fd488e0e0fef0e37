// From the operations of a layer file to kernels.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/workload/blocks/convolution.h"
#include "model/workload/blocks/embedding.h"
#include "model/workload/blocks/feature_map.h"
#include "model/workload/blocks/loss.h"
#include "model/workload/builder.h"
#include "model/workload/kernels.h"
#include "model/workload/layer_file.h"
#include "model/workload/transformer/attention_core.h"
#include "model/workload/transformer/norm.h"
#include "model/workload/transformer/parallel_linear.h"
#include "sim/base/error.h"

namespace dsim {
namespace {

/// Appends the operations of one layer.
class Appending {
 public:
  Appending(ModelBuilder& builder, const ModelKind& kind) : builder_(builder), kind_(kind) {}

  void append(const NamedOperation& operation, const std::string& path) {
    label_ = operation.name;
    path_ = path;
    std::visit([this](const auto& spec) { one(spec); }, operation.spec);
  }

 private:
  std::int64_t batch() const { return builder_.request().micro_batch; }
  /// Rows of a micro-batch; 0 a sample stands for its tokens.
  std::int64_t rows(std::int64_t of_sample, std::int64_t width) const {
    constexpr double most = 1e17;  // counts of elements are 64-bit integers
    const std::int64_t each = of_sample > 0 ? of_sample : builder_.request().sequence;
    if (product(batch(), each, width) > most)
      throw InputError(
          fmt::format("{}: {} at a micro-batch of {} is too large", kind_.name, path_, batch()));
    return batch() * each;
  }

  void one(const LinearSpec& spec) {
    RankShape whole;
    whole.tokens = rows(spec.rows, std::max(spec.inputs, spec.outputs));
    append_replicated(builder_,
                      {declare_parallel_linear(builder_, whole, Split::none, label_, path_,
                                               {spec.inputs, spec.outputs, spec.bias})},
                      {.rows = whole.tokens});
  }
  void one(const AttentionSpec& spec) {
    rows(0, spec.heads * spec.head_size);
    CoreShape core;
    core.batch = batch();
    core.sequence = builder_.request().sequence;
    core.heads = spec.heads;
    core.kv_heads = spec.kv_heads;
    core.query_size = core.value_size = spec.head_size;
    core.causal = spec.causal;
    append_core(builder_, core);
  }
  void one(const ConvolutionSpec& spec) {
    rows(spec.side * spec.side, std::max(spec.inputs, spec.outputs));
    const Convolution convolution = declare_convolution(
        builder_, label_, path_,
        {{}, {}, spec.inputs, spec.outputs, spec.kernel, spec.stride, spec.groups});
    append_convolution(builder_, convolution, {batch(), spec.inputs, spec.side});
  }
  void one(const NormSpec& spec) {
    append_norm(builder_,
                declare_norm(builder_, spec.kind, spec.kind == NormKind::layer_norm, label_, path_,
                             spec.width),
                rows(spec.rows, spec.width), false);
  }
  void one(const BatchNormSpec& spec) {
    rows(spec.side * spec.side, spec.channels);
    append_batch_norm(builder_, declare_batch_norm(builder_, label_, path_, spec.channels),
                      {batch(), spec.channels, spec.side});
  }
  void one(const EmbeddingSpec& spec) {
    append_embedding(builder_, declare_embedding(builder_, label_, path_, spec.entries, spec.width),
                     rows(spec.rows, spec.width));
  }
  void one(const ElementwiseSpec& spec) {
    const double pass =
        builder_.activation_bytes() * product(rows(spec.rows, spec.width), spec.width);
    moved(spec.forward * pass, spec.backward * pass, spec.saved ? pass : 0);
  }
  void one(const ProductSpec& spec) {
    const double e = builder_.activation_bytes();
    const std::int64_t all = rows(spec.batch, std::max({spec.m, spec.n, spec.k}));
    const GemmSize size{spec.m, spec.n, spec.k, all};
    Operation operation;
    operation.forward = {gemm_kernel(label_, Pass::forward, size, e, e)};
    operation.backward = {
        gemm_kernel(label_ + ".dleft", Pass::dgrad, {spec.m, spec.k, spec.n, all}, e, e),
        gemm_kernel(label_ + ".dright", Pass::dgrad, {spec.k, spec.n, spec.m, all}, e, e)};
    operation.saved_bytes = e * product(all, spec.k) * (product(spec.m) + product(spec.n));
    operation.model_flops = size.flops();
    builder_.append(std::move(operation));
  }
  void one(const MemorySpec& spec) {
    const double samples = product(batch());
    moved(samples * spec.forward, samples * spec.backward, samples * spec.saved);
  }
  void one(const LossSpec& spec) {
    append_cross_entropy(builder_, label_, rows(spec.rows, spec.classes), spec.classes);
  }

  void moved(double forward, double backward, double saved) {
    Operation operation;
    if (forward > 0) operation.forward = {memory_kernel(label_, Pass::forward, forward)};
    if (backward > 0)
      operation.backward = {memory_kernel(label_ + ".backward", Pass::dgrad, backward)};
    operation.saved_bytes = saved;
    builder_.append(std::move(operation));
  }

  ModelBuilder& builder_;
  const ModelKind& kind_;
  std::string label_, path_;
};

/// Elements of the last operation's result of which the width is stated, a sample.
struct Width {
  std::int64_t operator()(const LinearSpec& spec) const { return each(spec.rows) * spec.outputs; }
  std::int64_t operator()(const AttentionSpec& spec) const {
    return sequence * spec.heads * spec.head_size;
  }
  std::int64_t operator()(const ConvolutionSpec& spec) const {
    const std::int64_t side = (spec.side + spec.stride - 1) / spec.stride;
    return side * side * spec.outputs;
  }
  std::int64_t operator()(const NormSpec& spec) const { return each(spec.rows) * spec.width; }
  std::int64_t operator()(const BatchNormSpec& spec) const {
    return spec.side * spec.side * spec.channels;
  }
  std::int64_t operator()(const EmbeddingSpec& spec) const { return each(spec.rows) * spec.width; }
  std::int64_t operator()(const ElementwiseSpec& spec) const {
    return each(spec.rows) * spec.width;
  }
  std::int64_t operator()(const ProductSpec& spec) const { return spec.batch * spec.m * spec.n; }
  std::int64_t operator()(const MemorySpec&) const { return 0; }
  std::int64_t operator()(const LossSpec&) const { return 0; }

  std::int64_t each(std::int64_t rows) const { return rows > 0 ? rows : sequence; }
  std::int64_t sequence;
};

/// Bytes of a layer's result: as stated, else those of the last operation that has a width.
double output_bytes(const ModelBuilder& builder, const LayerSpec& layer) {
  const double samples = product(builder.request().micro_batch);
  if (layer.output_bytes > 0) return samples * layer.output_bytes;
  for (auto operation = layer.operations.rbegin(); operation != layer.operations.rend();
       ++operation) {
    const std::int64_t width = std::visit(Width{builder.request().sequence}, operation->spec);
    if (width > 0) return samples * builder.activation_bytes() * product(width);
  }
  return 0;
}

}  // namespace

Model build_layers(const ModelKind& kind, const ModelRequest& asked) {
  require(kind.layers != nullptr, "build_layers: the kind has no layers");
  const LayerFile& file = *kind.layers;
  require_whole(kind, asked.sharding);
  constexpr std::int64_t longest_sequence = 1 << 26;
  const ModelRequest request = resolved(kind, asked, file.sequence > 0 ? longest_sequence : 0);
  ModelBuilder builder(kind, request, file.title);
  Appending appending(builder, kind);
  double input = 0;
  for (const LayerSpec& layer : file.layers)
    for (std::int64_t copy = 0; copy < layer.repeat; ++copy) {
      const std::string name =
          layer.repeat > 1 ? fmt::format("{}.{}", layer.name, copy) : layer.name;
      builder.begin_layer(name, layer.role);
      builder.layer().input_bytes = input;
      for (std::size_t i = 0; i < layer.operations.size(); ++i)
        appending.append(layer.operations[i],
                         fmt::format("{}.{}.{}", name, i, layer.operations[i].name));
      builder.layer().output_bytes = input = output_bytes(builder, layer);
    }
  builder.model().sample_unit = file.sample_unit;
  builder.model().input_bytes = product(request.micro_batch) * file.input_bytes;
  return builder.finish();
}

}  // namespace dsim
