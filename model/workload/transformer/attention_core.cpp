#include "model/workload/transformer/attention_core.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/workload/kernels.h"
#include "model/workload/transformer/communication.h"

namespace dsim {
namespace {

// Backward of fused attention does 5 GEMMs where forward does 2 (Dao 2023, arXiv:2307.08691).
constexpr double backward_flops = 2.5;

/// One launch of fused attention: `queries` tokens a sequence against `keys`.
struct FusedCall {
  std::int64_t queries = 0, keys = 0;  ///< keys: held, masked or not
  std::int64_t heads = 0, kv_heads = 0;
  double flops = 0;
  bool causal = false;
};

/// Tensors of `call` once through HBM: queries and output, keys and values, log-sum-exp.
double fused_bytes(const CoreShape& core, const FusedCall& call, double element, double passes) {
  const double head = product(core.query_size + core.value_size);
  return passes * element * product(core.batch) * head *
             (product(call.queries, call.heads) + product(call.keys, call.kv_heads)) +
         4 * product(core.batch, call.queries, call.heads);
}

Kernel fused_kernel(const ModelBuilder& builder, const CoreShape& core, const FusedCall& call,
                    std::string name, Pass pass) {
  const bool backward = pass != Pass::forward;
  Kernel kernel;
  kernel.name = std::move(name);
  kernel.kind = KernelKind::attention;
  kernel.pass = pass;
  kernel.m = call.queries;
  kernel.n = (core.query_size + core.value_size) / 2;
  kernel.batch = core.batch * call.heads;
  // keys of a query before masking: fewer than there are within a window or in a step of a ring
  kernel.k = std::llround(call.flops /
                          ((call.causal ? 2 : 4) * product(kernel.m, kernel.n, kernel.batch)));
  kernel.flops = (backward ? backward_flops : 1) * call.flops;
  // backward reads q, k, v, o, dO and writes dQ, dK, dV in three kernels
  kernel.bytes = fused_bytes(core, call, builder.activation_bytes(), backward ? 2 : 1);
  kernel.causal = call.causal;
  kernel.launches = backward ? 3 : 1;
  return kernel;
}

/// Appends an operation of the core; the first one appended hands over the sinks' gradient, for it
/// runs last in backward.
void append_marked(ModelBuilder& builder, const CoreShape& core, Operation operation) {
  for (Kernel& kernel : operation.forward) kernel.core_attention = true;
  if (core.sinks.valid()) operation.backward.back().completes = {core.sinks};
  builder.append(std::move(operation));
}

/// Queries, keys and values are kept; the output is kept by its reader.
void keep_tensors(const ModelBuilder& builder, const CoreShape& core, Operation& operation) {
  const double e = builder.activation_bytes();
  const double log_sum_exp = 4 * product(core.tokens(), core.heads);
  operation.saved_bytes = e * product(core.tokens()) *
                              (product(core.heads, core.query_size) +
                               product(core.kv_heads, core.query_size + core.value_size)) +
                          log_sum_exp;
  operation.core_attention_bytes = log_sum_exp;
}

double key_value_bytes(const ModelBuilder& builder, const CoreShape& core) {
  return builder.activation_bytes() *
         product(core.tokens(), core.kv_heads, core.query_size + core.value_size);
}

/// All heads of this rank on `queries` tokens of each sequence against the whole of it.
Operation whole_operation(const ModelBuilder& builder, const CoreShape& core,
                          const FusedCall& call) {
  Operation operation;
  operation.model_flops = core.model_flops();
  operation.forward = {fused_kernel(builder, core, call, "attention.core", Pass::forward)};
  operation.backward = {fused_kernel(builder, core, call, "attention.core.backward", Pass::dgrad)};
  keep_tensors(builder, core, operation);
  return operation;
}

void append_ring(ModelBuilder& builder, const CoreShape& core) {
  const double kv = key_value_bytes(builder, core);
  const double e = builder.activation_bytes();
  const std::int64_t local = core.sequence / core.context;
  FusedCall call{
      local,      local, core.heads, core.kv_heads, core.model_flops() / product(core.context),
      core.causal};
  Operation operation;
  operation.model_flops = core.model_flops();
  const auto send = [&](std::int64_t step, Pass pass, double bytes) {
    return communication_kernel(fmt::format("attention.ring.{}", step), pass,
                                CollectiveOp::sendrecv, ParallelGroup::context, bytes,
                                static_cast<int>(e), 1);
  };
  for (std::int64_t step = 0; step < core.context; ++step) {
    call.causal = core.causal && step == 0;  // the others see whole chunks
    const bool sends = step + 1 < core.context;
    if (sends) operation.forward.push_back(send(step, Pass::forward, kv));
    operation.forward.push_back(
        fused_kernel(builder, core, call, fmt::format("attention.core.{}", step), Pass::forward));
    if (sends) operation.backward.push_back(send(step, Pass::dgrad, 2 * kv));
    operation.backward.push_back(fused_kernel(
        builder, core, call, fmt::format("attention.core.{}.backward", step), Pass::dgrad));
  }
  // Each step after the first: reads its result and the sum, writes the sum, both in fp32.
  operation.forward.push_back(
      memory_kernel("attention.merge", Pass::forward,
                    (e + 8) * product(core.context - 1, core.tokens(), core.heads, core.value_size),
                    static_cast<int>(core.context - 1)));
  operation.backward.push_back(memory_kernel("attention.merge.backward", Pass::dgrad,
                                             (e + 8) * product(core.context - 1) * kv / e,
                                             static_cast<int>(core.context - 1)));
  keep_tensors(builder, core, operation);
  append_marked(builder, core, std::move(operation));
}

void append_gathered(ModelBuilder& builder, const CoreShape& core) {
  const double whole = product(core.context) * key_value_bytes(builder, core);
  const auto exchange = [&](const char* name, Pass pass, CollectiveOp op) {
    return communication_kernel(name, pass, op, ParallelGroup::context, whole,
                                static_cast<int>(builder.activation_bytes()));
  };
  Operation operation = whole_operation(builder, core,
                                        {core.sequence / core.context, core.sequence, core.heads,
                                         core.kv_heads, core.model_flops(), core.causal});
  operation.forward.insert(
      operation.forward.begin(),
      exchange("attention.kv_all_gather", Pass::forward, CollectiveOp::all_gather));
  operation.backward.insert(
      operation.backward.begin(),
      exchange("attention.kv_all_gather_again", Pass::dgrad, CollectiveOp::all_gather));
  operation.backward.push_back(
      exchange("attention.kv_reduce_scatter", Pass::dgrad, CollectiveOp::reduce_scatter));
  append_marked(builder, core, std::move(operation));
}

void append_exchanged(ModelBuilder& builder, const CoreShape& core) {
  const double e = builder.activation_bytes();
  const auto exchange = [&](const char* name, std::int64_t width) {
    Operation operation;
    const std::string label = std::string("attention.") + name + "_all_to_all";
    const double bytes = e * product(core.tokens(), width);
    operation.forward = {communication_kernel(label, Pass::forward, CollectiveOp::all_to_all,
                                              ParallelGroup::context, bytes, static_cast<int>(e))};
    operation.backward = {communication_kernel(label + ".backward", Pass::dgrad,
                                               CollectiveOp::all_to_all, ParallelGroup::context,
                                               bytes, static_cast<int>(e))};
    builder.append(std::move(operation));
  };
  exchange("query", core.heads * core.query_size);
  exchange("key", core.kv_heads * core.query_size);
  exchange("value", core.kv_heads * core.value_size);
  Operation operation =
      whole_operation(builder, core,
                      {core.sequence, core.sequence, core.heads / core.context,
                       core.kv_heads / core.context, core.model_flops(), core.causal});
  append_marked(builder, core, std::move(operation));
  exchange("output", core.heads * core.value_size);
}

void append_fused(ModelBuilder& builder, const CoreShape& core) {
  if (core.context > 1) {
    switch (builder.request().sharding.context_exchange) {
      case ContextExchange::ring:
        return append_ring(builder, core);
      case ContextExchange::gather:
        return append_gathered(builder, core);
      case ContextExchange::all_to_all:
        return append_exchanged(builder, core);
    }
  }
  Operation operation = whole_operation(
      builder, core,
      {core.sequence, core.sequence, core.heads, core.kv_heads, core.model_flops(), core.causal});
  append_marked(builder, core, std::move(operation));
}

// Passes over the scores. jit and compile: one fused scale+mask+softmax kernel (Megatron-LM
// fused_softmax: 2 forward, 3 backward). eager: scale, mask and softmax apart.
struct SoftmaxPasses {
  double forward, backward;
  int forward_launches, backward_launches;
};
constexpr SoftmaxPasses eager_softmax{7, 6, 3, 2};
constexpr SoftmaxPasses fused_softmax{2, 3, 1, 1};

/// Where Megatron-LM's kernel exists (core/fusions/fused_softmax.py, is_kernel_available): 16 bit,
/// 16 < s <= 16384 in fours, and heads x batch in fours. Else its eager path runs.
bool has_fused_softmax(const ModelBuilder& builder, std::int64_t sequence, std::int64_t batch) {
  if (builder.fusion() != Fusion::jit) return builder.fusion() == Fusion::compile;
  return builder.activation_bytes() < 4 && sequence > 16 && sequence <= 16384 &&
         sequence % 4 == 0 && batch % 4 == 0;
}

void append_unfused(ModelBuilder& builder, const CoreShape& core) {
  const double e = builder.activation_bytes();
  const std::int64_t s = core.sequence, batch = core.batch * core.heads;
  const double scores = product(batch, s, s);
  const auto batched = [&](const char* name, Pass pass, const GemmSize& size) {
    return gemm_kernel(name, pass, size, e, e);
  };
  const GemmSize to_scores{s, s, core.query_size, batch}, to_query{s, core.query_size, s, batch},
      to_values{s, core.value_size, s, batch}, from_values{s, s, core.value_size, batch};
  CoreShape rest = core;  // without sinks
  rest.sinks = {};
  // Few key-value heads are repeated before the batched GEMMs.
  const double keys = e * product(core.tokens(), core.heads, core.query_size);
  const double values = e * product(core.tokens(), core.heads, core.value_size);

  Operation query_key;
  query_key.model_flops = core.model_flops();
  query_key.forward = {batched("attention.scores", Pass::forward, to_scores)};
  query_key.backward = {batched("attention.scores.dquery", Pass::dgrad, to_query),
                        batched("attention.scores.dkey", Pass::dgrad, to_query)};
  query_key.saved_bytes = 2 * keys;
  append_marked(builder, core, std::move(query_key));

  const SoftmaxPasses& passes =
      has_fused_softmax(builder, s, batch) ? fused_softmax : eager_softmax;
  Operation softmax;
  softmax.forward = {memory_kernel("attention.softmax", Pass::forward, passes.forward * e * scores,
                                   passes.forward_launches)};
  softmax.backward = {memory_kernel("attention.softmax.backward", Pass::dgrad,
                                    passes.backward * e * scores, passes.backward_launches)};
  softmax.saved_bytes = softmax.core_attention_bytes = e * scores;
  append_marked(builder, rest, std::move(softmax));

  if (core.dropout) {
    Operation dropout;
    dropout.forward = {memory_kernel("attention.dropout", Pass::forward, (2 * e + 1) * scores)};
    dropout.backward = {
        memory_kernel("attention.dropout.backward", Pass::dgrad, (2 * e + 1) * scores)};
    dropout.saved_bytes = dropout.core_attention_bytes = (1 + e) * scores;
    append_marked(builder, rest, std::move(dropout));
  }

  Operation context;
  context.forward = {batched("attention.context", Pass::forward, to_values)};
  context.backward = {batched("attention.context.dscores", Pass::dgrad, from_values),
                      batched("attention.context.dvalue", Pass::dgrad, to_values)};
  context.saved_bytes = values;
  append_marked(builder, rest, std::move(context));
}

}  // namespace

double CoreShape::pairs() const {
  const double s = product(sequence);
  const double w = window > 0 ? std::min(product(window), s) : s;
  return causal ? w * (s - w / 2) : std::min(2 * w, s) * s;
}

double CoreShape::model_flops() const {
  return 2 * product(batch, heads, query_size + value_size) * pairs() / product(context);
}

void append_core(ModelBuilder& builder, const CoreShape& core) {
  if (builder.request().attention == AttentionKernel::unfused)
    append_unfused(builder, core);
  else
    append_fused(builder, core);
}

}  // namespace dsim
