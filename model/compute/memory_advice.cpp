// What makes a job fit that does not: the changes one can try, from cheap to dear.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>

#include "model/compute/memory.h"
#include "model/strategy/parallelism.h"
#include "sim/base/error.h"
#include "sim/base/quantity.h"

namespace dsim {
namespace {

/// A job whose options and network may be changed.
struct Variant {
  Model model;
  MemoryRequest request;

  explicit Variant(const MemoryRequest& base) : model(*base.model), request(base) {
    request.model = &model;
  }
  Variant(const Variant& other) : model(other.model), request(other.request) {
    request.model = &model;
  }
  Variant& operator=(const Variant&) = delete;
};

/// A change in words ("Full recomputation (--recompute full)", with its verb's number) and in deed.
/// `apply` says whether there is anything to change.
struct Change {
  std::string words;
  bool plural = false;
  std::function<bool(Variant&)> apply;
};

std::uint32_t data_ranks(const MemoryRequest& request) {
  const Parallelism p = RankGrid(request.training.parallel, request.ranks).parallelism();
  return p.data * p.context;
}

/// What costs no time, or next to none.
std::vector<Change> free_changes() {
  return {{"Gradients as bucket views (--gradient-as-bucket-view)", true,
           [](Variant& v) {
             auto& ddp = v.request.training.ddp;
             if (v.request.training.strategy != Strategy::ddp || ddp.gradient_as_bucket_view)
               return false;
             return ddp.gradient_as_bucket_view = true;
           }},
          {"The distributed optimizer (--distributed-optimizer)", false,
           [](Variant& v) {
             auto& megatron = v.request.training.megatron;
             if (v.request.training.strategy != Strategy::megatron ||
                 megatron.distributed_optimizer || data_ranks(v.request) == 1)
               return false;
             return megatron.distributed_optimizer = true;
           }},
          {"Resharding after forward (leave out --no-reshard)", false, [](Variant& v) {
             auto& training = v.request.training;
             if ((training.strategy != Strategy::fsdp1 && training.strategy != Strategy::fsdp2) ||
                 training.fsdp.reshard_after_forward)
               return false;
             return training.fsdp.reshard_after_forward = true;
           }}};
}

Change recomputation(Recompute recompute, std::string words) {
  return {std::move(words), false, [recompute](Variant& v) {
            if (v.request.training.recompute >= recompute) return false;
            v.request.training.recompute = recompute;
            apply_recompute(v.model, recompute);
            return true;
          }};
}

void use_strategy(Variant& variant, Strategy strategy) {
  variant.request.training.strategy = strategy;
  variant.request.half_weights = casts_weights(variant.request.precision);
}

/// More of the model's states on other ranks.
std::vector<Change> sharding_changes() {
  const auto zero = [](Strategy from, Strategy to, const char* words) {
    return Change{words, false, [from, to](Variant& v) {
                    if (v.request.training.strategy < from || v.request.training.strategy >= to)
                      return false;
                    if (v.request.training.strategy > Strategy::zero3) return false;
                    use_strategy(v, to);
                    return true;
                  }};
  };
  return {
      {"Sharding over all data-parallel ranks, not within hybrid groups,", false,
       [](Variant& v) {
         auto& fsdp = v.request.training.fsdp;
         if (fsdp.shard_size == 0) return false;
         fsdp.shard_size = 0;
         return true;
       }},
      zero(Strategy::zero1, Strategy::zero2, "ZeRO stage 2 (--strategy zero2)"),
      zero(Strategy::zero1, Strategy::zero3, "ZeRO stage 3 (--strategy zero3)"),
      {"Sharding parameters, gradients and states (--strategy fsdp2)", false, [](Variant& v) {
         const Strategy now = v.request.training.strategy;
         if ((now != Strategy::ddp && now != Strategy::data_parallel) || data_ranks(v.request) == 1)
           return false;
         use_strategy(v, Strategy::fsdp2);
         return true;
       }}};
}

/// `stages` pipeline stages in place of data-parallel ranks.
std::optional<Variant> with_stages(const Variant& variant, std::uint32_t stages) {
  Variant changed = variant;
  auto& training = changed.request.training;
  const Parallelism p = RankGrid(training.parallel, changed.request.ranks).parallelism();
  const std::uint32_t factor = stages / p.pipeline;
  if (factor < 2 || p.data % factor != 0) return std::nullopt;
  training.parallel.pipeline = stages;
  training.parallel.data = p.data / factor;
  training.accumulate *= factor;  // the same samples a step
  return changed;
}

std::optional<MemoryFootprint> footprint(const Variant& variant, const MemoryConstants& constants) {
  try {
    return memory_footprint(variant.request, constants);
  } catch (const InputError&) {  // a layout that cannot be is no advice
    return std::nullopt;
  }
}

/// The largest number of samples a micro-batch can have; 0 if not even one fits.
std::int64_t largest_micro_batch(const MemoryFootprint& memory, std::int64_t samples,
                                 double slack) {
  const double varies = (memory.activations + memory.workspace) * (1 + slack);
  const double room = memory.capacity - (memory.total() - varies);
  if (room <= 0 || varies <= 0) return 0;
  return std::min(
      samples, static_cast<std::int64_t>(std::floor(static_cast<double>(samples) * room / varies)));
}

class Adviser {
 public:
  Adviser(const MemoryRequest& request, const MemoryConstants& constants)
      : constants_(constants), base_(request), now_(memory_footprint(request, constants)) {}

  std::string advice() const {
    if (now_.fits()) return {};
    if (const auto text = cheap(); !text.empty()) return text;
    if (const auto text = dear(); !text.empty()) return text;
    return hopeless();
  }

 private:
  std::string fits_with(const Change& change, const Variant& changed) const {
    const auto memory = footprint(changed, constants_);
    if (!memory || !memory->fits()) return {};
    return fmt::format("{} free{} {} and make{} it fit.", change.words, change.plural ? "" : "s",
                       format_binary_bytes(now_.total() - memory->total()),
                       change.plural ? "" : "s");
  }

  std::string smaller_batch(const MemoryFootprint& memory) const {
    const std::int64_t samples = base_.model.samples;
    const std::int64_t batch = largest_micro_batch(memory, samples, constants_.allocator_slack);
    if (batch == 0 || batch == samples) return {};
    const std::int64_t times = (samples + batch - 1) / batch;
    return fmt::format(
        "a micro-batch of {} (--micro-batch {}); --accumulate {} keeps the global batch{}", batch,
        batch, base_.request.training.accumulate * times,
        samples % batch == 0 ? "" : " about as large");
  }

  /// One change that costs little, or a smaller micro-batch, or both.
  std::string cheap() const {
    std::optional<Change> freed;
    Variant best = base_;
    for (const Change& change : free_changes()) {
      if (!change.apply(best)) continue;
      if (const auto text = fits_with(change, best); !text.empty()) return text;
      freed = change;
    }
    const Change selective =
        recomputation(Recompute::selective, "Selective recomputation (--recompute selective)");
    if (Variant changed = base_; selective.apply(changed))
      if (const auto text = fits_with(selective, changed); !text.empty()) return text;
    if (const auto batch = smaller_batch(now_); !batch.empty())
      return fmt::format("The largest that fits is {}.", batch);
    if (!freed) return {};
    const MemoryFootprint with_best = memory_footprint(best.request, constants_);
    const auto batch = smaller_batch(with_best);
    if (batch.empty()) return {};
    return fmt::format("{} free{} {}; then the largest that fits is {}.", freed->words,
                       freed->plural ? "" : "s",
                       format_binary_bytes(now_.total() - with_best.total()), batch);
  }

  /// Full recomputation, then more sharding, then a longer pipeline.
  std::string dear() const {
    const Change full = recomputation(Recompute::full, "Full recomputation (--recompute full)");
    Variant recomputed = base_;
    const bool can_recompute = full.apply(recomputed);
    if (can_recompute)
      if (const auto text = fits_with(full, recomputed); !text.empty()) return text;
    const std::string none = no_micro_batch();
    for (const Change& change : sharding_changes()) {
      Variant changed = base_;
      if (!change.apply(changed)) continue;
      if (const auto text = fits_with(change, changed); !text.empty()) return none + text;
      if (const auto memory = footprint(changed, constants_))
        if (const auto batch = smaller_batch(*memory); !batch.empty())
          return fmt::format("{}{} makes room for {}.", none, change.words, batch);
      if (Variant both = recomputed; can_recompute && change.apply(both))
        if (const auto text = fits_with(
                {change.words + " with full recomputation (--recompute full)", false, {}}, both);
            !text.empty())
          return none + text;
    }
    return longer_pipeline(recomputed, none);
  }

  std::string longer_pipeline(const Variant& recomputed, const std::string& none) const {
    const std::uint32_t stages = std::max(1U, base_.request.training.parallel.pipeline);
    for (std::uint32_t factor = 2; factor <= 64; factor *= 2)
      for (const Variant* variant : {&base_, &recomputed}) {
        const auto changed = with_stages(*variant, stages * factor);
        if (!changed) continue;
        const bool again = variant == &recomputed && recomputed.request.training.recompute !=
                                                         base_.request.training.recompute;
        if (const auto text = fits_with(
                {fmt::format("{} pipeline stages (--pp {}){}", stages * factor, stages * factor,
                             again ? " with full recomputation (--recompute full)" : ""),
                 true,
                 {}},
                *changed);
            !text.empty())
          return none + text;
      }
    return {};
  }

  double states() const {
    Variant best = base_;
    for (const Change& change : free_changes()) change.apply(best);
    const MemoryFootprint memory = memory_footprint(best.request, constants_);
    return memory.parameters + memory.gradients + memory.optimizer + memory.buckets;
  }
  /// Said before advice that is not about activations.
  std::string no_micro_batch() const {
    return fmt::format(
        "No micro-batch fits: parameters, gradients, optimizer states and buckets alone take {}. ",
        format_binary_bytes(states()));
  }
  std::string hopeless() const {
    if (states() > now_.capacity || base_.model.samples <= 1)
      return no_micro_batch() +
             "They must be sharded over more GPUs (tensor, pipeline or data parallel), or the GPU "
             "needs more memory.";
    return "No micro-batch fits: the network must be cut further (tensor, context or pipeline "
           "parallel), or the GPU needs more memory.";
  }

  const MemoryConstants& constants_;
  Variant base_;
  MemoryFootprint now_;
};

}  // namespace

std::string memory_advice(const MemoryRequest& request, const MemoryConstants& constants) {
  return Adviser(request, constants).advice();
}

}  // namespace dsim
