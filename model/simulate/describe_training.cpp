#include "model/simulate/describe_training.h"

#include <fmt/format.h>

namespace dsim {

namespace {

std::string who(const TrainingOptions& options) {
  if (options.framework == Framework::horovod) return "Horovod";
  switch (options.strategy) {
    case Strategy::ddp:
      return "PyTorch DDP";
    case Strategy::data_parallel:
      return "PyTorch DataParallel";
    case Strategy::fsdp1:
    case Strategy::fsdp2: {
      std::string name = options.strategy == Strategy::fsdp1 ? "PyTorch FSDP1" : "PyTorch FSDP2";
      if (options.fsdp.shard_size > 0)
        name += fmt::format(", shards over {} GPUs", options.fsdp.shard_size);
      if (!options.fsdp.reshard_after_forward) name += ", kept whole after forward";
      return name;
    }
    case Strategy::zero1:
      return "DeepSpeed ZeRO-1";
    case Strategy::zero2:
      return "DeepSpeed ZeRO-2";
    case Strategy::zero3:
      return "DeepSpeed ZeRO-3";
    case Strategy::megatron:
      return options.megatron.distributed_optimizer ? "Megatron with distributed optimizer"
                                                    : "Megatron";
  }
  return "";
}

void add(std::string& text, std::string_view name, std::uint32_t degree) {
  if (degree > 1) text += fmt::format("{}{} {}", text.empty() ? "" : " x ", name, degree);
}

}  // namespace

std::string describe_training(const TrainingOptions& options, std::uint32_t ranks) {
  if (ranks == 1) return "PyTorch, one GPU";
  const Parallelism& p = options.parallel;
  std::string text = who(options);
  if (options.backend != CallBackend::nccl)
    text += options.backend == CallBackend::gloo ? " over Gloo" : " over MPI";
  std::string degrees;
  if (p.tensor * p.context * p.pipeline * p.expert > 1) {
    add(degrees, p.sequence ? "TP+SP" : "TP", p.tensor);
    add(degrees, "CP", p.context);
    add(degrees, "PP", p.pipeline);
    add(degrees, "DP", p.data);
    if (p.expert > 1) degrees += fmt::format("{}EP {}", degrees.empty() ? "" : ", ", p.expert);
    text += ", " + degrees;
  }
  if (p.pipeline > 1) text += fmt::format(", {}", name_of(options.schedule));
  if (p.chunks > 1) text += fmt::format(" x {}", p.chunks);
  if (options.recompute != Recompute::none)
    text += options.recompute == Recompute::every_nth
                ? fmt::format(", recomputes every {} blocks", options.recompute_every)
                : fmt::format(", {} recomputation", name_of(options.recompute));
  return text;
}

}  // namespace dsim
