#include "calibrate/validate/job_rules.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "calibrate/validate/text_pattern.h"

namespace dsim {
namespace {

struct PrecisionRule {
  std::string_view text;
  Precision precision;
};

constexpr std::array precision_rules{
    PrecisionRule{"=fp32", Precision::fp32},
    // Torch images of NVIDIA allow TF32 wherever fp32 is asked for (FlagPerf's rows say FP32/TF32).
    PrecisionRule{"=tf32|=fp32-tf32", Precision::tf32},
    PrecisionRule{"fp8|mxfp8|nvfp4|fp4", Precision::fp8},  // which of them: recipe_rules
    PrecisionRule{"=fp16|=fp16-amp|=amp|=fp16-o1|=fp16-o2|=mixed-fp16|=mixed|mixed", Precision::fp16},
    PrecisionRule{"bf16|=bfloat16", Precision::bf16},
};

struct RecipeRule {
  std::string_view text;
  Fp8Recipe recipe;
};

/// How operands are scaled, in the words of the precision column; delayed scaling without.
constexpr std::array recipe_rules{
    RecipeRule{"nvfp4|=fp4", Fp8Recipe::nvfp4},
    RecipeRule{"mxfp8|fp8-mx|sub-channel|block", Fp8Recipe::block},
    RecipeRule{"rowwise|tensorwise|linear|dynamic|fp8-cs|current", Fp8Recipe::dynamic},
};

struct OptimizerRule {
  std::string_view text, name;
};

constexpr std::array optimizer_rules{
    OptimizerRule{"=sgd|=sgd-momentum|=momentum", "sgd"},
    OptimizerRule{"=lars-sgd|=lars", "lars"},
    OptimizerRule{"=adam|=fusedadam|adam", "adam"},
    OptimizerRule{"=adamw|=decoupled-adamw|adamw", "adamw"},
    OptimizerRule{"=lamb|=fusedlamb", "lamb"},
};

struct RecomputeRule {
  std::string_view text;
  Recompute recompute;
  int every;
};

constexpr std::array recompute_rules{
    RecomputeRule{"=|none|no|off", Recompute::none, 1},
    RecomputeRule{"full", Recompute::full, 1},
    RecomputeRule{"selective-layer", Recompute::every_nth, 2},
    RecomputeRule{"selective", Recompute::selective, 1},
};

bool yes(std::string_view text) { return matches(text, "=true|=yes|=1|=on"); }

}  // namespace

void read_parallelism(RowPlan& plan) {
  const RowInputs& row = *plan.row;
  Parallelism& parallel = plan.job.training.parallel;
  const auto degree = [&](std::string_view column) {
    const std::int64_t value = row.count(column, 1);
    if (value > 1 << 20)
      throw Unpredictable{Obstacle::strategy, fmt::format("{} {}", column, value)};
    return static_cast<std::uint32_t>(value);
  };
  parallel.tensor = degree("tp");
  parallel.pipeline = degree("pp");
  parallel.context = degree("cp");
  parallel.expert = degree("ep");
  parallel.chunks = parallel.pipeline > 1 ? degree("vp") : 1;
  parallel.sequence = yes(row.text("sp")) && parallel.tensor > 1;
  if (parallel.chunks > 1) plan.job.training.schedule = PipelineKind::interleaved;

  const std::int64_t cut =
      std::int64_t{parallel.tensor} * parallel.pipeline * parallel.context;
  const std::int64_t gpus = plan.hardware.gpus;
  if (gpus % cut != 0)
    throw Unpredictable{Obstacle::strategy,
                        fmt::format("tp x pp x cp = {} does not divide {} GPUs", cut, gpus)};
  const std::int64_t replicas = gpus / cut;
  if (const std::int64_t stated = row.count("dp", replicas);
      stated != replicas && stated * parallel.expert != replicas)
    throw Unpredictable{Obstacle::strategy,
                        fmt::format("dp {} x tp x pp x cp = {} is not {} GPUs", stated,
                                    stated * cut, gpus)};
  parallel.data = static_cast<std::uint32_t>(replicas);
  const Strategy strategy = plan.job.training.strategy;
  if (strategy == Strategy::ddp && cut * parallel.expert > 1)
    plan.job.training.strategy = Strategy::megatron;
}

void read_recompute(RowPlan& plan) {
  const std::string_view text = plan.row->text("activation_recompute");
  for (const RecomputeRule& rule : recompute_rules) {
    if (!matches(text, rule.text)) continue;
    plan.job.training.recompute = rule.recompute;
    plan.job.training.recompute_every = rule.every;
    return;
  }
  throw Unpredictable{Obstacle::recompute, std::string(text)};
}

void read_precision(RowPlan& plan) {
  const std::string_view text = plan.row->text("precision");
  if (text.empty()) {
    plan.assume("precision not stated");
    return;
  }
  for (const PrecisionRule& rule : precision_rules)
    if (matches(text, rule.text)) {
      plan.job.precision = rule.precision;
      plan.job.precision_given = true;
      for (const RecipeRule& recipe : recipe_rules)
        if (rule.precision == Precision::fp8 && matches(text, recipe.text)) {
          plan.job.fp8_recipe = recipe.recipe;
          break;
        }
      return;
    }
  throw Unpredictable{Obstacle::precision, std::string(text)};
}

void read_optimizer(RowPlan& plan) {
  const std::string_view text = plan.row->text("optimizer");
  if (text.empty()) {
    plan.assume("optimizer not stated");
    return;
  }
  for (const OptimizerRule& rule : optimizer_rules)
    if (matches(text, rule.text)) {
      plan.job.optimizer = rule.name;
      return;
    }
  throw Unpredictable{Obstacle::model, fmt::format("optimizer {}", text)};
}

void read_batch(RowPlan& plan) {
  const std::int64_t global = plan.count("global_batch");
  const std::int64_t printed_micro = plan.count("micro_batch");
  const std::int64_t printed_accumulate = plan.count("grad_accum");
  const std::int64_t replicas = plan.job.training.parallel.data;
  std::int64_t micro = printed_micro;
  std::int64_t accumulate = std::max<std::int64_t>(printed_accumulate, 1);
  if (global > 0) {
    if (global % replicas != 0)
      throw Unpredictable{Obstacle::batch, fmt::format("global batch {} is not a multiple of {} {}",
                                                       global, replicas,
                                                       replicas == plan.hardware.gpus
                                                           ? "GPUs"
                                                           : "data-parallel ranks")};
    const std::int64_t share = global / replicas;
    if (micro > 0 && share % micro == 0) {
      accumulate = share / micro;
    } else if (printed_accumulate > 0 && share % accumulate == 0) {
      micro = share / accumulate;
    } else if (micro == 0 && plan.job.training.parallel.pipeline == 1 && printed_accumulate == 0 &&
               plan.job.training.strategy == Strategy::ddp) {
      micro = share;
    } else if (micro > 0) {
      throw Unpredictable{Obstacle::batch,
                          fmt::format("{} samples a data-parallel rank are not micro-batches of {}",
                                      share, micro)};
    }
    if (printed_micro > 0 && micro != printed_micro)
      plan.assume(fmt::format("micro-batch {} printed, {} follows from the global batch",
                              printed_micro, micro));
    if (printed_accumulate > 0 && micro > 0 && accumulate != printed_accumulate)
      plan.assume(fmt::format("accumulation {} printed, {} follows from the global batch",
                              printed_accumulate, accumulate));
  }
  if (micro == 0) throw Unpredictable{Obstacle::batch, "micro-batch not stated"};
  if (micro > 1'000'000 || accumulate > 1'000'000)
    throw Unpredictable{Obstacle::batch, fmt::format("{} x {} samples a GPU", micro, accumulate)};
  plan.job.micro_batch = micro;
  plan.job.training.accumulate = accumulate;
}

std::int64_t bucket_cap_of(const RowInputs& row) {
  if (!row.text("bucket_cap_mb").empty()) return row.count("bucket_cap_mb", 0);
  constexpr std::string_view key = "bucket_cap_mb=";
  const std::string_view notes = row.text("notes");
  const std::size_t at = notes.find(key);
  if (at == std::string_view::npos) return 0;
  std::int64_t value = 0;
  const std::string_view rest = notes.substr(at + key.size());
  std::from_chars(rest.data(), rest.data() + rest.size(), value);
  return value > 0 && value < (std::int64_t{1} << 30) ? value : 0;
}

}  // namespace dsim
