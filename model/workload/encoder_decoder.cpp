#include "model/workload/encoder_decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "model/workload/blocks/attention.h"
#include "model/workload/blocks/elementwise.h"
#include "model/workload/blocks/embedding.h"
#include "model/workload/blocks/feature_map.h"
#include "model/workload/blocks/loss.h"
#include "model/workload/builder.h"
#include "model/workload/kernels.h"
#include "model/workload/transformer/norm.h"

namespace dsim {
namespace {

constexpr std::int64_t position_buckets = 32;  // T5's relative_attention_num_buckets

// C4's spans of 15 % corrupted tokens: 114 targets for 512 inputs (arXiv:1910.10683, section 3.1.4
// and its code).
constexpr std::int64_t t5_inputs = 512, t5_targets = 114;

// T5 has no position table: relative distances. fairseq: max_source_positions.
constexpr std::int64_t longest_t5 = 65536, longest_translation = 1024;

struct Size {
  std::string_view name, title;
  bool t5;  ///< norms before, no biases, relative positions, dropout inside the MLP
  int layers;
  std::int64_t hidden, heads, head_size, ffn, vocabulary;
};

constexpr Size sizes[] = {
    {"t5-small", "T5-small", true, 6, 512, 8, 64, 2048, 32128},
    {"t5-base", "T5-base", true, 12, 768, 12, 64, 3072, 32128},
    {"t5-large", "T5-large", true, 24, 1024, 16, 64, 4096, 32128},
    {"t5-3b", "T5-3B", true, 24, 1024, 32, 128, 16384, 32128},
    {"t5-11b", "T5-11B", true, 24, 1024, 128, 128, 65536, 32128},
    // 32,768 joined byte pairs, as fairseq's paper on scaling translation has them
    {"transformer-base", "Transformer-base", false, 6, 512, 8, 64, 2048, 32768},
    {"transformer-big", "Transformer-big", false, 6, 1024, 16, 64, 4096, 32768},
};

/// The tokens of one stack and what each of its parts reads.
struct Stack {
  std::string path;  ///< "encoder", "decoder"
  std::int64_t sequence = 0;
  bool decoder = false;
};

class EncoderDecoder {
 public:
  EncoderDecoder(ModelBuilder& builder, const Size& size)
      : builder_(builder),
        size_(size),
        batch_(builder.request().micro_batch),
        sources_(builder.request().sequence),
        targets_(size.t5 ? (sources_ * t5_targets + t5_inputs - 1) / t5_inputs : sources_) {}

  void append() {
    const Stack encoder{"encoder", sources_, false}, decoder{"decoder", targets_, true};
    append_embeddings(encoder);
    for (int i = 0; i < size_.layers; ++i) append_layer(encoder, i);
    if (size_.t5) append_encoder_norm();
    append_embeddings(decoder);
    for (int i = 0; i < size_.layers; ++i) append_layer(decoder, i);
    append_head();
    Model& model = builder_.model();
    const double inner = product(batch_, std::max(sources_, targets_), size_.ffn);
    model.workspace_bytes =
        std::max(model.workspace_bytes, 2 * builder_.activation_bytes() * inner);
    // int64 ids and padding mask of the source, ids and labels of the target
    model.input_bytes = 8 * product(batch_) * (2 * product(sources_) + 2 * product(targets_));
  }

 private:
  std::int64_t rows(const Stack& stack) const { return batch_ * stack.sequence; }
  std::int64_t elements(const Stack& stack) const { return rows(stack) * size_.hidden; }
  std::int64_t memory_elements() const { return batch_ * sources_ * size_.hidden; }
  /// The decoder's stages hand the encoder's output on beside their own.
  void set_stack_output(const Stack& stack) {
    builder_.layer().output_bytes =
        builder_.activation_bytes() *
        product(elements(stack) + (stack.decoder ? memory_elements() : 0));
  }

  /// A lookup of the one table that encoder, decoder and head share; its gradient is complete when
  /// the encoder's lookup has gone back.
  void append_embeddings(const Stack& stack) {
    builder_.begin_layer(stack.path + ".embed_tokens",
                         stack.decoder ? LayerRole::block : LayerRole::embedding);
    if (!stack.decoder)
      table_ =
          declare_embedding(builder_, "embed_tokens", size_.t5 ? "shared" : "encoder.embed_tokens",
                            size_.vocabulary, size_.hidden);
    const double pass = builder_.activation_bytes() * product(elements(stack));
    if (stack.decoder) {
      const double dense = 4 * product(table_.rows, table_.width);
      Operation lookup;
      lookup.forward = {memory_kernel(table_.label, Pass::forward, 2 * pass)};
      lookup.backward = {
          memory_kernel("embed_tokens.scatter_add", Pass::wgrad, 3 * pass + dense, 12),
          memory_kernel("embed_tokens.tied_gradient_sum", Pass::wgrad, 3 * dense)};
      lookup.saved_bytes = 8 * product(rows(stack));
      builder_.append(std::move(lookup));
    } else {
      append_embedding(builder_, table_, rows(stack), true);
    }
    if (!size_.t5) {  // times sqrt(hidden), plus sinusoids that learn nothing
      append_copy(builder_, "embed_scale", elements(stack), 2, 2, 1);
      append_copy(builder_, "position_sum", elements(stack), 3, 0, 1);
    }
    append_dropout(builder_, "dropout", elements(stack));
    set_stack_output(stack);
  }

  Linear declare(const std::string& path, const std::string& label, std::int64_t inputs,
                 std::int64_t outputs) {
    if (!size_.t5) return declare_linear(builder_, label, path, inputs, outputs);
    return {label, builder_.parameter(path + ".weight", {outputs, inputs}), {}, inputs, outputs};
  }

  TransformerNorm declare_norm_of(const std::string& path, const std::string& label) {
    return declare_norm(builder_, size_.t5 ? NormKind::rms_norm : NormKind::layer_norm, !size_.t5,
                        label, path, size_.hidden);
  }

  Attention declare_attention(const std::string& path, const std::string& label) {
    const std::int64_t h = size_.hidden, width = size_.heads * size_.head_size;
    const auto linear = [&](const char* name, std::int64_t inputs, std::int64_t outputs) {
      return declare(path + '.' + name, label + '.' + name, inputs, outputs);
    };
    if (size_.t5) {
      const Linear q = linear("q", h, width), k = linear("k", h, width), v = linear("v", h, width);
      return {{q, k, v}, linear("o", width, h)};
    }
    // Registered in another order than they run.
    const Linear k = linear("k_proj", h, width), v = linear("v_proj", h, width),
                 q = linear("q_proj", h, width);
    return {{q, k, v}, linear("out_proj", width, h)};
  }

  /// x + f(norm(x)) for T5, norm(x + f(x)) for translation; `uses`: of f's input, f's and the
  /// sum's.
  template <class Body>
  void append_residual(const Stack& stack, const std::string& label, const TransformerNorm& norm,
                       int uses, Body body) {
    if (size_.t5) {
      append_gradient_sum(builder_, label, elements(stack), 2);
      append_norm(builder_, norm, rows(stack), true);
      append_gradient_sum(builder_, label + ".norm", elements(stack), uses - 1);
    } else {
      append_gradient_sum(builder_, label, elements(stack), uses);
    }
    body();
    append_residual_add(builder_, label + ".residual", elements(stack), true);
    if (!size_.t5) append_norm(builder_, norm, rows(stack), true);
  }

  AttentionCore core_of(const Stack& stack, bool own) const {
    AttentionCore core{batch_, size_.heads, size_.head_size, stack.sequence, own && stack.decoder};
    if (!own) core.keys = sources_;
    core.position_bias = size_.t5 && own;
    core.position_rows = position_buckets;
    return core;
  }

  void append_self_attention(const Stack& stack, const std::string& layer, int index) {
    const std::string path = layer + (size_.t5 ? ".layer.0.SelfAttention" : ".self_attn");
    const Attention attention = declare_attention(path, "self_attention");
    AttentionCore core = core_of(stack, true);
    if (size_.t5 && index == 0)
      core.position_table = builder_.parameter(path + ".relative_attention_bias.weight",
                                               {position_buckets, size_.heads});
    const TransformerNorm norm =
        declare_norm_of(layer + (size_.t5 ? ".layer.0.layer_norm" : ".self_attn_layer_norm"),
                        "self_attention.layer_norm");
    append_residual(stack, "self_attention", norm, 4,
                    [&] { append_attention(builder_, attention, core); });
  }

  void append_cross_attention(const Stack& stack, const std::string& layer) {
    const Attention attention = declare_attention(
        layer + (size_.t5 ? ".layer.1.EncDecAttention" : ".encoder_attn"), "cross_attention");
    const TransformerNorm norm =
        declare_norm_of(layer + (size_.t5 ? ".layer.1.layer_norm" : ".encoder_attn_layer_norm"),
                        "cross_attention.layer_norm");
    append_residual(stack, "cross_attention", norm, 2, [&] {
      // Keys and values of every layer add to the gradient of the encoder's output.
      append_gradient_sum(builder_, "cross_attention.memory", memory_elements(), 3);
      append_attention(builder_, attention, core_of(stack, false));
    });
  }

  void append_feed_forward(const Stack& stack, const std::string& layer) {
    const std::string path =
        size_.t5 ? fmt::format("{}.layer.{}", layer, stack.decoder ? 2 : 1) : layer;
    const Linear up = declare(path + (size_.t5 ? ".DenseReluDense.wi" : ".fc1"), "mlp.up",
                              size_.hidden, size_.ffn);
    const Linear down = declare(path + (size_.t5 ? ".DenseReluDense.wo" : ".fc2"), "mlp.down",
                                size_.ffn, size_.hidden);
    const TransformerNorm norm =
        declare_norm_of(path + (size_.t5 ? ".layer_norm" : ".final_layer_norm"), "mlp.layer_norm");
    append_residual(stack, "mlp", norm, 2, [&] {
      const std::int64_t inner = rows(stack) * size_.ffn;
      append_linear(builder_, up, {.rows = rows(stack)});
      append_relu(builder_, "mlp.relu", {1, inner, 1});
      if (size_.t5) append_dropout(builder_, "mlp.dropout", inner);
      append_linear(builder_, down, {.rows = rows(stack)});
    });
  }

  void append_layer(const Stack& stack, int index) {
    const std::string name =
        fmt::format("{}.{}.{}", stack.path, size_.t5 ? "block" : "layers", index);
    builder_.begin_layer(name);
    append_self_attention(stack, name, index);
    if (stack.decoder) append_cross_attention(stack, name);
    append_feed_forward(stack, name);
    set_stack_output(stack);
  }

  void append_encoder_norm() {
    const Stack encoder{"encoder", sources_, false};
    builder_.begin_layer("encoder.final_layer_norm");
    append_norm(builder_, declare_norm_of("encoder.final_layer_norm", "final_layer_norm"),
                rows(encoder), false);
    append_dropout(builder_, "dropout", elements(encoder));
    set_stack_output(encoder);
  }

  void append_head() {
    const Stack decoder{"decoder", targets_, true};
    builder_.begin_layer("head", LayerRole::head);
    if (size_.t5) {
      append_norm(builder_, declare_norm_of("decoder.final_layer_norm", "final_layer_norm"),
                  rows(decoder), false);
      append_dropout(builder_, "dropout", elements(decoder));
      append_copy(builder_, "head_scale", elements(decoder), 2, 2, 1);  // by 1/sqrt(hidden)
    }
    append_linear(builder_, {"lm_head", table_.weight, {}, size_.hidden, size_.vocabulary},
                  {.rows = rows(decoder), .tied_weight = true});
    append_cross_entropy(builder_, "loss", rows(decoder), size_.vocabulary);
  }

  ModelBuilder& builder_;
  const Size& size_;
  std::int64_t batch_, sources_, targets_;
  Embedding table_;
};

Model build_encoder_decoder(const ModelKind& kind, const ModelRequest& asked) {
  const Size& size = *std::find_if(std::begin(sizes), std::end(sizes),
                                   [&](const auto& row) { return row.name == kind.name; });
  require_whole(kind, asked.sharding);
  const ModelRequest request = resolved(kind, asked, size.t5 ? longest_t5 : longest_translation);
  ModelBuilder builder(kind, request, std::string(size.title));
  builder.model().tied_embeddings = true;
  EncoderDecoder(builder, size).append();
  return builder.finish();
}

constexpr ModelKind kinds[] = {
    {"t5-small", "T5-small, 60.5 M parameters, 114 targets for 512 inputs", 64, 512, "adafactor",
     build_encoder_decoder},
    {"t5-base", "T5-base, 223 M parameters", 16, 512, "adafactor", build_encoder_decoder},
    {"t5-large", "T5-large, 738 M parameters", 8, 512, "adafactor", build_encoder_decoder},
    {"t5-3b", "T5-3B, 2.85 G parameters", 2, 512, "adafactor", build_encoder_decoder},
    {"t5-11b", "T5-11B, 11.3 G parameters", 1, 512, "adafactor", build_encoder_decoder},
    {"transformer-base", "Transformer-base translation (WMT en-de), 60.9 M parameters", 160, 32,
     "adam", build_encoder_decoder},
    {"transformer-big", "Transformer-big translation (WMT en-de), 210 M parameters", 160, 32,
     "adam", build_encoder_decoder},
};

}  // namespace

std::span<const ModelKind> encoder_decoder_kinds() { return kinds; }

}  // namespace dsim
