#include <fmt/format.h>

#include <array>
#include <charconv>

#include "calibrate/validate/job_rules.h"
#include "calibrate/validate/text_pattern.h"

namespace dsim {
namespace {

/// Words of the `strategy` column, first match; `set` says what they state beyond the kind.
struct StrategyRule {
  std::string_view text;
  Strategy strategy = Strategy::ddp;
  void (*set)(RowPlan& plan) = nullptr;
  std::string_view refusal = {};  ///< known and not covered
};

/// The number behind "group" in "FSDP2 (group 64)"; 0 without.
std::uint32_t group_size(std::string_view text) {
  constexpr std::string_view key = "group ";
  const std::size_t at = text.find(key);
  if (at == std::string_view::npos) return 0;
  std::uint32_t value = 0;
  const std::string_view rest = text.substr(at + key.size());
  std::from_chars(rest.data(), rest.data() + rest.size(), value);
  return value;
}

void distributed_optimizer(RowPlan& plan) { plan.job.training.megatron.distributed_optimizer = true; }

void set_group(RowPlan& plan) {
  const std::uint32_t size = group_size(plan.row->text("strategy"));
  if (size < plan.hardware.gpus) plan.job.training.fsdp.shard_size = size;
}

void horovod(RowPlan& plan) { plan.job.training.framework = Framework::horovod; }

constexpr std::array strategy_rules{
    StrategyRule{.text = "lora", .refusal = "LoRA: base weights are frozen"},
    StrategyRule{.text = "=|=ddp|=none|=single|=single-gpu|=data-parallel|=pytorch-ddp|=native-ddp|=dp"},
    StrategyRule{.text = "ddp-horovod-like"},
    StrategyRule{.text = "=replicated-nccl"},
    StrategyRule{.text = "horovod", .set = horovod},
    StrategyRule{.text = "=dataparallel|=nn-dataparallel", .strategy = Strategy::data_parallel},
    StrategyRule{.text = "gtp64", .refusal = "generalized tensor parallelism"},
    StrategyRule{.text = "fsdp-dp|ici|maxtext", .refusal = "JAX sharding that is not stated"},
    StrategyRule{.text = "parameter-server|ps|replicated|byteps",
                 .refusal = "parameter servers or copies without NCCL"},
    StrategyRule{.text = "megatron-fsdp", .strategy = Strategy::fsdp2, .set = set_group},
    StrategyRule{.text = "fsdp full-shard", .strategy = Strategy::fsdp1},
    StrategyRule{.text = "fsdp shard-grad-op",
                 .strategy = Strategy::fsdp1,
                 .set = [](RowPlan& plan) { plan.job.training.fsdp.reshard_after_forward = false; }},
    StrategyRule{.text = "hsdp",
                 .strategy = Strategy::fsdp1,
                 .set =
                     [](RowPlan& plan) {
                       plan.job.training.fsdp.shard_size =
                           static_cast<std::uint32_t>(plan.hardware.gpus_per_node);
                     }},
    StrategyRule{.text = "fsdp2|fsdp4|fsdp8|fsdp2xep4", .strategy = Strategy::fsdp2, .set = set_group},
    StrategyRule{.text = "fsdp|fsdp1", .strategy = Strategy::fsdp1},
    StrategyRule{.text = "zero-3 cpu-offloaded",
                 .strategy = Strategy::zero3,
                 .set = [](RowPlan& plan) { plan.job.training.zero.offload_optimizer = true; }},
    StrategyRule{.text = "=zero-1|=zero1", .strategy = Strategy::zero1},
    StrategyRule{.text = "=zero-2|=zero2", .strategy = Strategy::zero2},
    StrategyRule{.text = "=zero-3|=zero3", .strategy = Strategy::zero3},
    StrategyRule{.text = "zero-1|zero-2 3d|megatron",
                 .strategy = Strategy::megatron,
                 .set = distributed_optimizer},
    StrategyRule{.text = "zero-0", .strategy = Strategy::megatron},
    StrategyRule{.text = "distributed-optimizer",
                 .strategy = Strategy::megatron,
                 .set = distributed_optimizer},
    StrategyRule{.text = "3d|tp|dp|megatron", .strategy = Strategy::megatron},
};

}  // namespace

void read_strategy(RowPlan& plan) {
  const std::string_view text = plan.row->text("strategy");
  const std::string_view framework = plan.row->text("framework");
  if (matches(framework, "jax|maxtext|paxml"))
    throw Unpredictable{Obstacle::framework, std::string(framework)};
  // Layouts without a word for the strategy: what is cut must be stated.
  if (matches(text, "pytorch|nemo|ngc|llmboost") && !matches(text, "megatron|tp|ddp") &&
      plan.row->text("tp").empty())
    throw Unpredictable{Obstacle::strategy, "layout not stated"};
  for (const StrategyRule& rule : strategy_rules) {
    if (!matches(text, rule.text)) continue;
    if (!rule.refusal.empty())
      throw Unpredictable{Obstacle::strategy, fmt::format("{}: {}", text, rule.refusal)};
    plan.job.training.strategy = rule.strategy;
    if (rule.set != nullptr) rule.set(plan);
    if (matches(framework, "horovod") && rule.strategy == Strategy::ddp) horovod(plan);
    return;
  }
  throw Unpredictable{Obstacle::strategy, std::string(text)};
}

}  // namespace dsim
