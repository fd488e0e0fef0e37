#include "model/strategy/training.h"

#include "model/strategy/data_parallel.h"
#include "model/strategy/ddp.h"
#include "model/strategy/fsdp.h"
#include "model/strategy/megatron.h"
#include "model/strategy/training_rules.h"
#include "model/strategy/zero.h"
#include "model/strategy/horovod.h"
#include "model/strategy/host_copies.h"
#include "sim/base/error.h"

namespace dsim {
namespace {

Workload pytorch_ddp(const TrainingRequest& request) {
  DdpRequest ddp;
  ddp.model = request.model;
  ddp.precision = request.precision;
  ddp.gpu = request.gpu;
  ddp.compute = request.compute;
  ddp.host = request.host;
  ddp.optimizer = request.optimizer;
  ddp.options = request.options.ddp;
  ddp.accumulate = request.options.accumulate;
  ddp.backend = request.options.backend;
  ddp.ranks = request.ranks;
  ddp.input_seconds = request.input_seconds;
  ddp.host_bandwidth = host_copy_rate(request);
  ddp.stragglers = request.stragglers;
  return ddp_workload(ddp);
}

bool is_cut(const Parallelism& p) {
  return p.tensor > 1 || p.context > 1 || p.expert > 1 || p.pipeline > 1;
}

}  // namespace

bool holds_half_weights(const TrainingRequest& request) {
  return casts_weights(request.precision) &&
         request.half_weights.value_or(keeps_half_weights(request.options.strategy));
}

double gradient_element_bytes_of(const TrainingRequest& request) {
  return holds_half_weights(request) ? 2 : 4;
}

Workload training_workload(const TrainingRequest& request) {
  check_rules(request);
  if (request.options.framework == Framework::horovod) return horovod_workload(request);
  if (request.options.parallel.pipeline > 1) return megatron_workload(request);
  switch (request.options.strategy) {
    case Strategy::fsdp1:
    case Strategy::fsdp2:
      return fsdp_workload(request);
    case Strategy::zero1:
    case Strategy::zero2:
    case Strategy::zero3:
      return zero_workload(request);
    case Strategy::megatron:
      return megatron_workload(request);
    case Strategy::data_parallel:
      return data_parallel_workload(request);
    default:
      return is_cut(request.options.parallel) ? megatron_workload(request) : pytorch_ddp(request);
  }
}

}  // namespace dsim
