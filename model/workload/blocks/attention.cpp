#include "model/workload/blocks/attention.h"

#include <utility>

#include "model/workload/blocks/elementwise.h"
#include "model/workload/kernels.h"

namespace dsim {
namespace {

// Backward of fused attention does 5 GEMMs where forward does 2 (Dao 2023, arXiv:2307.08691).
constexpr double fused_backward_flops = 2.5;

Kernel fused_kernel(std::string name, Pass pass, const AttentionCore& core, double flops,
                    double bytes, int launches) {
  Kernel kernel;
  kernel.name = std::move(name);
  kernel.kind = KernelKind::attention;
  kernel.pass = pass;
  kernel.m = core.sequence;
  kernel.k = core.key_count();
  kernel.n = core.head_size;
  kernel.batch = core.batch * core.heads;
  kernel.flops = flops;
  kernel.bytes = bytes;
  kernel.causal = core.causal;
  kernel.launches = launches;
  return kernel;
}

void append_fused(ModelBuilder& builder, const AttentionCore& core) {
  // of queries and of the context; of keys and of values
  const double e = builder.activation_bytes();
  const double queries = e * product(core.tokens(), core.width());
  const double keys = e * product(core.batch, core.key_count(), core.width());
  const double log_sum_exp = 4 * product(core.tokens(), core.heads);
  Operation operation;
  operation.model_flops = core.model_flops();
  operation.forward.push_back(fused_kernel("attention.core", Pass::forward, core,
                                           core.model_flops(), 2 * queries + 2 * keys + log_sum_exp,
                                           1));
  operation.forward.back().core_attention = true;
  // reads q, k, v, o, dO; writes dQ, dK, dV; kernels: row sums of o dO, gradients, dQ to 16 bit
  operation.backward.push_back(fused_kernel("attention.core.backward", Pass::dgrad, core,
                                            fused_backward_flops * core.model_flops(),
                                            4 * queries + 4 * keys + log_sum_exp, 3));
  operation.saved_bytes = queries + 2 * keys + log_sum_exp;
  operation.core_attention_bytes = log_sum_exp;
  builder.append(std::move(operation));
}

// Passes over the scores. jit and compile: one fused scale+mask+softmax kernel (2 forward, 3
// backward: Megatron-LM fused_softmax). eager: scale, mask and softmax apart, 7 forward and 6
// backward.
struct SoftmaxPasses {
  double forward, backward;
  int forward_launches, backward_launches;
};
constexpr SoftmaxPasses eager_softmax{7, 6, 3, 2};
constexpr SoftmaxPasses fused_softmax{2, 3, 1, 1};

/// The learned bias of (head, query, key): made from its table where that is registered, and added
/// to the scores of every sequence.
void append_position_bias(ModelBuilder& builder, const AttentionCore& core) {
  const double e = builder.activation_bytes();
  const double scores = e * product(core.scores());
  const double bias = scores / product(core.batch);
  if (core.position_table.valid()) {
    const std::int64_t distances = core.sequence * core.key_count();
    Operation lookup;
    // buckets of the distances, lookup, transposing copy
    lookup.forward = {memory_kernel("attention.position_bias", Pass::forward,
                                    4 * bias + 8 * product(distances), 10)};
    lookup.backward = {memory_kernel("attention.position_bias.scatter_add", Pass::wgrad,
                                     5 * bias + 8 * product(distances), 13)};
    lookup.backward.back().completes = {core.position_table};
    lookup.saved_bytes = bias + 8 * product(distances);
    builder.append(std::move(lookup));
  }
  Operation sum;
  sum.forward = {memory_kernel("attention.position_bias.add", Pass::forward, 2 * scores + bias)};
  sum.forward.back().core_attention = true;
  sum.backward = {
      memory_kernel("attention.position_bias.gradient_sum", Pass::dgrad, scores + 3 * bias, 2)};
  builder.append(std::move(sum));
}

void append_unfused(ModelBuilder& builder, const AttentionCore& core) {
  const double e = builder.activation_bytes();
  const double scores = product(core.scores());
  const std::int64_t s = core.sequence, t = core.key_count(), d = core.head_size;
  const std::int64_t batch = core.batch * core.heads;
  const auto batched = [&](const char* name, Pass pass, const GemmSize& shape) {
    return gemm_kernel(name, pass, shape, e, e);
  };
  const GemmSize to_scores{s, t, d, batch}, to_queries{s, d, t, batch}, to_keys{t, d, s, batch};
  const double queries = e * product(core.tokens(), core.width());
  const double keys = e * product(core.batch, t, core.width());
  const auto append_core = [&](Operation operation) {
    for (Kernel& kernel : operation.forward) kernel.core_attention = true;
    builder.append(std::move(operation));
  };

  Operation product_of_q_and_k;
  product_of_q_and_k.model_flops = core.model_flops() / 2;
  product_of_q_and_k.forward = {batched("attention.scores", Pass::forward, to_scores)};
  product_of_q_and_k.backward = {batched("attention.scores.dquery", Pass::dgrad, to_queries),
                                 batched("attention.scores.dkey", Pass::dgrad, to_keys)};
  product_of_q_and_k.saved_bytes = queries + keys;
  append_core(std::move(product_of_q_and_k));
  if (core.position_bias) append_position_bias(builder, core);

  const SoftmaxPasses& passes = builder.fusion() == Fusion::eager ? eager_softmax : fused_softmax;
  Operation softmax;
  softmax.forward = {memory_kernel("attention.softmax", Pass::forward, passes.forward * e * scores,
                                   passes.forward_launches)};
  softmax.backward = {memory_kernel("attention.softmax.backward", Pass::dgrad,
                                    passes.backward * e * scores, passes.backward_launches)};
  softmax.saved_bytes = softmax.core_attention_bytes = e * scores;
  append_core(std::move(softmax));

  if (core.dropout) {
    Operation dropout;
    dropout.forward = {memory_kernel("attention.dropout", Pass::forward, (2 * e + 1) * scores)};
    dropout.backward = {
        memory_kernel("attention.dropout.backward", Pass::dgrad, (2 * e + 1) * scores)};
    // mask, and the result that multiplies V
    dropout.saved_bytes = dropout.core_attention_bytes = (1 + e) * scores;
    append_core(std::move(dropout));
  }

  Operation product_with_v;
  product_with_v.model_flops = core.model_flops() / 2;
  product_with_v.forward = {batched("attention.context", Pass::forward, to_queries)};
  product_with_v.backward = {batched("attention.context.dscores", Pass::dgrad, to_scores),
                             batched("attention.context.dvalue", Pass::dgrad, to_keys)};
  product_with_v.saved_bytes = keys;
  append_core(std::move(product_with_v));
}

// Passes of the copies between [tokens, width] and [heads, sequence, head size], per element of Q,
// K and V together and of the context. Counted on Megatron-LM (jit), Hugging Face (eager).
struct CopyPasses {
  double qkv_forward, qkv_backward, context;
  int qkv_launches;
};
CopyPasses copy_passes(Fusion fusion) {
  switch (fusion) {
    case Fusion::eager:
      return {2, 2, 2, 3};
    case Fusion::jit:
      return {0, 2, 2, 1};
    case Fusion::compile:
      return {1.5, 1.5, 0, 1};
  }
  return {};
}

}  // namespace

double AttentionCore::model_flops() const {
  return (causal ? 2 : 4) * product(scores(), head_size);
}

void append_attention_core(ModelBuilder& builder, const AttentionCore& core) {
  if (builder.request().attention != AttentionKernel::unfused && !core.position_bias)
    append_fused(builder, core);
  else
    append_unfused(builder, core);
}

void append_attention(ModelBuilder& builder, const Attention& attention,
                      const AttentionCore& core) {
  const std::int64_t tokens = core.tokens();
  std::int64_t projected = 0;
  for (std::size_t i = 0; i < attention.projections.size(); ++i) {
    const std::int64_t rows = i > 0 ? core.batch * core.key_count() : tokens;
    append_linear(builder, attention.projections[i], {.rows = rows, .keeps_input = i == 0});
    projected += rows * attention.projections[i].outputs;
  }
  const CopyPasses copies = copy_passes(builder.fusion());
  append_copy(builder, "attention.qkv_copy", projected, copies.qkv_forward, copies.qkv_backward,
              copies.qkv_launches);
  append_attention_core(builder, core);
  append_copy(builder, "attention.context_copy", tokens * core.width(), copies.context,
              copies.context, 1);
  append_linear(builder, attention.output, {.rows = tokens});
}

}  // namespace dsim
