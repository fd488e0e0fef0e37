#include "model/workload/transformer/build.h"

#include <fmt/format.h>

#include <string>

#include "model/workload/blocks/elementwise.h"
#include "model/workload/builder.h"
#include "model/workload/kernels.h"
#include "model/workload/transformer/attention.h"
#include "model/workload/transformer/config.h"
#include "model/workload/transformer/ends.h"
#include "model/workload/transformer/mlp.h"
#include "model/workload/transformer/moe.h"
#include "model/workload/transformer/norm.h"
#include "model/workload/transformer/rank_shape.h"
#include "sim/base/error.h"

namespace dsim {
namespace {

// A sequence that no position table bounds: rotary and linear biases take any length.
constexpr std::int64_t longest_sequence = std::int64_t{1} << 24;

/// Appends the layers of one network.
class Layers {
 public:
  Layers(ModelBuilder& builder, const TransformerConfig& config, const RankShape& shape)
      : builder_(builder), config_(config), shape_(shape) {}

  void append(std::int64_t index) {
    const std::string name = fmt::format("layers.{}", index);
    path_ = "model." + name;
    index_ = index;
    builder_.begin_layer(name);
    builder_.layer().input_bytes = builder_.layer().output_bytes =
        builder_.activation_bytes() * product(elements());
    if (config_.parallel_blocks)
      append_side_by_side();
    else
      append_in_turn();
  }

 private:
  std::int64_t elements() const { return shape_.rows * config_.hidden; }

  void norm(const char* name, bool after_residual = true) {
    append_norm(builder_,
                declare_norm(builder_, config_.norm, config_.norm_bias, name, path_ + '.' + name,
                             config_.hidden),
                shape_.rows, after_residual);
  }
  void attention() {
    append_self_attention(builder_, config_, shape_, path_ + ".self_attn", index_);
  }
  void feed_forward() {
    if (config_.has_experts(index_))
      append_experts(builder_, config_, shape_, path_ + ".mlp");
    else
      append_transformer_mlp(builder_, config_, shape_, "mlp", path_ + ".mlp", config_.ffn, true);
  }
  void residual(const char* label) {
    append_residual_add(builder_, label, elements(), config_.hidden_dropout);
  }

  template <class Sublayer>
  void block(const char* before, const char* after, const char* sum, Sublayer sublayer) {
    append_gradient_sum(builder_, before, elements(), 2);
    if (config_.norm_place != NormPlace::post) norm(before);
    sublayer();
    if (config_.norm_place == NormPlace::sandwich) norm(after, false);
    residual(sum);
    if (config_.norm_place == NormPlace::post) norm(before);
  }
  void append_in_turn() {
    block("input_layernorm", "attention_layernorm", "attention.residual", [this] { attention(); });
    block("post_attention_layernorm", "feedforward_layernorm", "mlp.residual",
          [this] { feed_forward(); });
  }
  void append_side_by_side() {
    append_gradient_sum(builder_, "input_layernorm", elements(), config_.parallel_norms ? 3 : 2);
    norm("input_layernorm");
    if (config_.parallel_norms)
      norm("post_attention_layernorm", false);
    else
      append_gradient_sum(builder_, "parallel_input", elements(), 2);
    attention();
    residual("attention.residual");
    feed_forward();
    residual("mlp.residual");
  }

  ModelBuilder& builder_;
  const TransformerConfig& config_;
  const RankShape& shape_;
  std::string path_;
  std::int64_t index_ = 0;
};

/// Parameters that one token meets: of the experts only those it is sent to.
std::int64_t active_parameters(const Model& model, const Experts& experts) {
  if (experts.count == 0) return 0;
  std::int64_t count = 0;
  for (const Parameter& parameter : model.parameters)
    count += parameter.expert ? parameter.whole_elements / experts.count * experts.top_k
                              : parameter.whole_elements;
  return count;
}

}  // namespace

Model build_transformer(const ModelKind& kind, const ModelRequest& asked) {
  require(kind.transformer != nullptr, "build_transformer: the kind has no transformer");
  const TransformerConfig& config = *kind.transformer;
  check(config, kind.name);
  const bool table = config.position == PositionScheme::learned && !config.table_follows_sequence;
  const ModelRequest request = resolved(kind, asked, table ? config.positions : longest_sequence);
  const RankShape shape = rank_shape(kind, config, request);
  ModelBuilder builder(kind, request, std::string(config.title));
  const ParameterId embedding = append_embeddings(builder, config, shape);
  Layers layers(builder, config, shape);
  for (std::int64_t index = 0; index < config.layers; ++index) layers.append(index);
  append_head(builder, config, shape, embedding);

  Model& model = builder.model();
  model.input_bytes = 2 * 8 * product(shape.tokens);  // int64 ids and labels
  model.tied_embeddings = config.tied;
  model.active_parameters = active_parameters(model, config.experts);
  return builder.finish();
}

}  // namespace dsim
