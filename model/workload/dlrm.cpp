#include "model/workload/dlrm.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/workload/blocks/elementwise.h"
#include "model/workload/blocks/feature_map.h"
#include "model/workload/blocks/linear.h"
#include "model/workload/builder.h"
#include "model/workload/kernels.h"
#include "model/workload/transformer/communication.h"

namespace dsim {
namespace {

// Rows of the tables of Criteo 1TB's 26 categories with indices taken modulo 40 M (MLPerf Training
// v0.7 reference, --max-ind-range=40000000).
constexpr std::int64_t table_rows[] = {
    39884406, 39043,    17289,    7420,     20263,  3,     7120, 1543, 63,
    38532951, 2953546,  403346,   10,       2208,   11938, 155,  4,    976,
    14,       39979771, 25641295, 39664984, 585935, 12972, 108,  36};
constexpr std::int64_t width = 128;
constexpr std::int64_t dense_features = 13;
constexpr std::int64_t bottom[] = {512, 256, width};
constexpr std::int64_t top[] = {1024, 1024, 512, 256, 1};

constexpr std::int64_t table_count() { return std::ssize(table_rows); }
/// Vectors of a sample that meet each other: those of the tables and of the bottom MLP.
constexpr std::int64_t vectors() { return table_count() + 1; }
/// Their products, each pair once, and the bottom MLP's vector.
constexpr std::int64_t interactions() { return vectors() * (vectors() - 1) / 2 + width; }

constexpr std::string_view exchange_name = "embeddings.all_to_all";
constexpr std::string_view gradient_exchange_name = "embeddings.all_to_all.backward";
constexpr std::string_view scatter_name = "embeddings.scatter_add";

void append_dense(ModelBuilder& builder, const std::string& stack, std::int64_t inputs,
                  const std::int64_t* first, const std::int64_t* last) {
  const std::int64_t rows = builder.request().micro_batch;
  int index = 0;
  for (const std::int64_t* outputs = first; outputs != last; inputs = *outputs++, index += 2) {
    const std::string name = fmt::format("{}.{}", stack, index);
    append_linear(builder, declare_linear(builder, name, name, inputs, *outputs), {.rows = rows});
    append_relu(builder, name + ".relu", {rows, *outputs, 1});
  }
}

/// The tables: what one of `ranks` holds, or may touch in a micro-batch where they are shared.
std::vector<ParameterId> declare_tables(ModelBuilder& builder) {
  const std::int64_t ranks = builder.request().sharding.expert;
  const std::int64_t samples = builder.request().micro_batch * ranks;
  std::vector<ParameterId> tables;
  for (std::size_t i = 0; i < std::size(table_rows); ++i) {
    const std::int64_t rows = table_rows[i];
    const std::int64_t held =
        ranks == 1 ? rows : std::max<std::int64_t>(1, std::min(rows, samples) / ranks);
    tables.push_back(builder.parameter(fmt::format("emb_l.{}.weight", i), {held, width},
                                       rows * width, ranks > 1));
    if (ranks > 1)
      builder.model().workspace_bytes +=
          4 * product(width) * std::max(0.0, product(rows) / product(ranks) - product(held));
  }
  return tables;
}

/// An all-to-all of one vector of every table for each sample of this rank, either way.
Kernel exchange(const ModelBuilder& builder, std::string_view name, Pass pass) {
  const double e = builder.activation_bytes();
  return communication_kernel(
      std::string(name), pass, CollectiveOp::all_to_all, ParallelGroup::expert,
      e * product(builder.request().micro_batch, table_count(), width), static_cast<int>(e));
}

/// Lookups of this rank's share of the tables for the samples of all ranks that share them, the
/// exchange, and the bottom MLP beside it.
void append_features(ModelBuilder& builder) {
  builder.begin_layer("features", LayerRole::embedding);
  const bool shared = builder.request().sharding.expert > 1;
  const std::int64_t rows = builder.request().micro_batch;
  const double looked_up = product(rows, table_count(), width);
  const double e = builder.activation_bytes();
  const std::vector<ParameterId> tables = declare_tables(builder);
  double held = 0;
  for (const ParameterId id : tables) held += product(builder.elements(id));
  const int launches = static_cast<int>(table_count());

  Operation lookup;
  lookup.forward = {memory_kernel("embeddings", Pass::forward, (4 + e) * looked_up, launches)};
  // A dense gradient is filled with zeros first; of a shared table only the touched rows exist.
  lookup.backward = {memory_kernel(std::string(scatter_name), Pass::wgrad,
                                   (e + 8) * looked_up + (shared ? 0 : 4 * held), 12 * launches)};
  lookup.backward.back().completes = tables;
  lookup.saved_bytes = 8 * product(rows, table_count());  // int64 indices
  if (shared) lookup.forward.push_back(exchange(builder, exchange_name, Pass::forward));
  builder.append(std::move(lookup));
  append_dense(builder, "bot_l", dense_features, std::begin(bottom), std::end(bottom));
  Operation arrival;  // of gradients, which leave before the bottom MLP goes back
  if (shared) arrival.backward = {exchange(builder, gradient_exchange_name, Pass::dgrad)};
  builder.append(std::move(arrival));
  builder.layer().output_bytes = e * product(rows, vectors(), width);
}

/// Products of each pair of vectors of a sample.
void append_interaction(ModelBuilder& builder) {
  builder.begin_layer("interaction");
  const double e = builder.activation_bytes();
  const std::int64_t rows = builder.request().micro_batch;
  const double joined = e * product(rows, vectors(), width);
  const double products = e * product(rows, vectors(), vectors());
  const double outputs = e * product(rows, interactions());
  const GemmSize all_pairs{vectors(), vectors(), width, rows};
  const GemmSize back{vectors(), width, vectors(), rows};
  Operation pairs;
  pairs.forward = {memory_kernel("interaction.cat", Pass::forward, 2 * joined),
                   gemm_kernel("interaction", Pass::forward, all_pairs, e, e)};
  pairs.backward = {gemm_kernel("interaction.dleft", Pass::dgrad, back, e, e),
                    gemm_kernel("interaction.dright", Pass::dgrad, back, e, e),
                    memory_kernel("interaction.gradient_sum", Pass::dgrad, 3 * joined)};
  pairs.saved_bytes = joined;
  pairs.model_flops = all_pairs.flops();
  builder.append(std::move(pairs));
  Operation triangle;  // the pairs' lower triangle beside the bottom MLP's vector
  triangle.forward = {memory_kernel("interaction.pairs", Pass::forward, 4 * outputs, 2)};
  triangle.backward = {
      memory_kernel("interaction.pairs.backward", Pass::dgrad, products + 2 * outputs, 3)};
  builder.append(std::move(triangle));
  builder.layer().output_bytes = outputs;
}

void append_top(ModelBuilder& builder) {
  builder.begin_layer("top_l", LayerRole::head);
  append_dense(builder, "top_l", interactions(), std::begin(top), std::end(top));
  append_copy(builder, "loss", builder.request().micro_batch, 3, 3, 2);  // binary cross-entropy
}

/// Lets an exchange run beside all kernels behind it up to `waits`, or to the end.
void hide(std::vector<Kernel>& kernels, std::string_view name, std::string_view waits) {
  const auto named = [&](std::string_view wanted) {
    return std::find_if(kernels.begin(), kernels.end(),
                        [&](const Kernel& kernel) { return kernel.name == wanted; });
  };
  const auto start = named(name);
  if (start != kernels.end()) start->hidden_behind = static_cast<int>(named(waits) - start) - 1;
}

Model build_dlrm(const ModelKind& kind, const ModelRequest& asked) {
  LayerSharding others = asked.sharding;
  others.expert = 1;
  require_whole(kind, others);
  const ModelRequest request = resolved(kind, asked, 0);
  ModelBuilder builder(kind, request, "DLRM");
  Model& model = builder.model();
  model.sample_unit = "samples";
  append_features(builder);
  append_interaction(builder);
  append_top(builder);
  // fp32 features, int64 indices and offsets, a label
  model.input_bytes = product(request.micro_batch) *
                      (4 * product(dense_features) + 16 * product(table_count()) + 4);
  Model result = builder.finish();
  Layer& features = result.layers.front();
  hide(features.forward, exchange_name, "");
  hide(features.backward, gradient_exchange_name, scatter_name);
  return result;
}

constexpr ModelKind kinds[] = {
    {"dlrm", "DLRM on Criteo 1TB (MLPerf v0.7), 24 G parameters; --ep shares its tables", 8192, 0,
     "sgd", build_dlrm},
};

}  // namespace

std::span<const ModelKind> dlrm_kinds() { return kinds; }

}  // namespace dsim
