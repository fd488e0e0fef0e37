#include "calibrate/validate/layouts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "sim/base/spelling.h"

namespace dsim {
namespace {

struct LayoutRule {
  TableLayout layout;
  std::string_view title;
  std::vector<std::string_view> columns;  ///< all of these
};

const std::vector<LayoutRule>& layout_rules() {
  static const std::vector<LayoutRule> rules{
      {TableLayout::vtrain,
       "GPT by its dimensions, tensor and pipeline parallel (vTrain's layout)",
       {"hidden", "layers", "tp", "dp", "pp", "step_time_ms"}},
      {TableLayout::collective, "collectives", {"size_bytes", "busbw_gbps"}},
      {TableLayout::collective, "collectives", {"op_name", "num_gpus", "message_size", "latency"}},
      {TableLayout::gemm, "GEMMs", {"m", "n", "k", "latency_us"}},
      {TableLayout::training, "training", {"model"}},
  };
  return rules;
}

constexpr std::array<std::string_view, 44> training_columns{"id",
                                                            "model",
                                                            "params",
                                                            "layers",
                                                            "hidden",
                                                            "heads",
                                                            "kv_heads",
                                                            "ffn",
                                                            "vocab",
                                                            "seq_len",
                                                            "image_size",
                                                            "experts",
                                                            "top_k",
                                                            "gpu",
                                                            "gpus",
                                                            "nodes",
                                                            "gpus_per_node",
                                                            "intra_link",
                                                            "inter_link",
                                                            "precision",
                                                            "strategy",
                                                            "dp",
                                                            "tp",
                                                            "pp",
                                                            "vp",
                                                            "cp",
                                                            "ep",
                                                            "sp",
                                                            "micro_batch",
                                                            "global_batch",
                                                            "grad_accum",
                                                            "activation_recompute",
                                                            "optimizer",
                                                            "framework",
                                                            "step_time_s",
                                                            "throughput",
                                                            "throughput_unit",
                                                            "tflops_per_gpu",
                                                            "mfu",
                                                            "hfu",
                                                            "scaling_efficiency",
                                                            "peak_mem_gb",
                                                            "notes",
                                                            "bucket_cap_mb"};

}  // namespace

TableLayout layout_of(const CsvTable& table) {
  for (const LayoutRule& rule : layout_rules())
    if (std::ranges::all_of(rule.columns,
                            [&](std::string_view name) { return table.has_column(name); }))
      return rule.layout;
  return TableLayout::unknown;
}

std::string_view title_of(TableLayout layout) {
  for (const LayoutRule& rule : layout_rules())
    if (rule.layout == layout) return rule.title;
  return "columns of an unknown layout";
}

std::vector<std::string> unknown_training_columns(const CsvTable& table) {
  std::vector<std::string> sentences;
  for (std::size_t i = 0; i < table.columns().size(); ++i) {
    const std::string& column = table.columns()[i];
    if (column.empty() || std::ranges::find(training_columns, column) != training_columns.end())
      continue;
    const std::string_view near = nearest(column, training_columns);
    sentences.push_back(
        fmt::format("{}: column '{}' is not known{}", table.place(table.header_cell(i)), column,
                    near.empty() ? "" : fmt::format(" (did you mean '{}'?)", near)));
  }
  return sentences;
}

}  // namespace dsim
