#include "model/strategy/training_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/error.h"

namespace dsim {

namespace {

bool has_experts(const Model& model) {
  return std::any_of(model.parameters.begin(), model.parameters.end(),
                     [](const Parameter& p) { return p.expert; });
}

void check_parallelism(const TrainingRequest& request) {
  const TrainingOptions& options = request.options;
  const Parallelism& p = options.parallel;
  if (p.sequence && p.tensor < 2)
    throw InputError("sequence parallelism needs at least 2 tensor-parallel ranks");
  if (p.chunks > 1 && p.pipeline < 2)
    throw InputError(fmt::format(
        "a virtual pipeline size of {} needs at least 2 pipeline ranks", p.chunks));
  if (options.schedule != PipelineKind::one_f_one_b && p.pipeline < 2)
    throw InputError(fmt::format("the schedule {} needs at least 2 pipeline ranks",
                                 name_of(options.schedule)));
  if (p.expert > 1 && !has_experts(*request.model))
    throw InputError(fmt::format("expert parallelism needs a model with experts; {} has none",
                                 request.model->name));
}

void check_megatron(const TrainingOptions& options) {
  const MegatronOptions& megatron = options.megatron;
  if (options.strategy != Strategy::megatron) {
    const char* option = megatron.distributed_optimizer  ? "distributed optimizer"
                         : megatron.overlap_grad_reduce  ? "overlap of gradient reduction"
                         : megatron.overlap_param_gather ? "overlap of parameter gathers"
                                                         : nullptr;
    if (option)
      throw InputError(fmt::format("Megatron's {} needs the strategy megatron, not {}", option,
                                   name_of(options.strategy)));
    return;
  }
  if (megatron.overlap_param_gather && !megatron.distributed_optimizer)
    throw InputError("overlap of parameter gathers needs the distributed optimizer");
  if (megatron.overlap_param_gather && !megatron.overlap_grad_reduce)
    throw InputError("overlap of parameter gathers needs overlap of gradient reduction");
  if (megatron.bucket_elements < 0)
    throw InputError("a gradient bucket holds at least one parameter");
}

void check_strategy(const TrainingOptions& options) {
  const Parallelism& p = options.parallel;
  const bool model_parallel = p.tensor > 1 || p.pipeline > 1 || p.context > 1 || p.expert > 1;
  if (options.framework == Framework::horovod && options.strategy != Strategy::ddp)
    throw InputError(
        fmt::format("Horovod reduces gradients itself: it needs the strategy ddp, not {}",
                    name_of(options.strategy)));
  if (options.framework == Framework::horovod && model_parallel)
    throw InputError(
        "Horovod trains data-parallel: tensor, pipeline, context and expert ranks must be 1");
  if (options.strategy == Strategy::data_parallel && model_parallel)
    throw InputError(
        "DataParallel is one process: tensor, pipeline, context and expert ranks must be 1");
  if ((options.strategy == Strategy::zero2 || options.strategy == Strategy::zero3) &&
      p.pipeline > 1)
    throw InputError(
        "ZeRO 2 and 3 cannot run in a pipeline: they cut gradients that it accumulates over "
        "micro-batches; take zero1");
}

}  // namespace

void check_rules(const TrainingRequest& request) {
  require(request.model && request.gpu && request.compute && request.host && request.optimizer,
          "a training request names its model, GPU, constants and optimizer");
  if (request.options.accumulate < 1)
    throw InputError(fmt::format("cannot accumulate over {} micro-batches; at least 1 is needed",
                                 request.options.accumulate));
  check_strategy(request.options);
  check_megatron(request.options);
  check_parallelism(request);
}

}  // namespace dsim
