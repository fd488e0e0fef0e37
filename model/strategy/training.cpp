#include "model/strategy/training.h"

#include "model/strategy/ddp.h"
#include "model/strategy/fsdp.h"
#include "model/strategy/zero.h"
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
  ddp.stragglers = request.stragglers;
  return ddp_workload(ddp);
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
  switch (request.options.strategy) {
    case Strategy::fsdp1:
    case Strategy::fsdp2:
      return fsdp_workload(request);
    case Strategy::zero1:
    case Strategy::zero2:
    case Strategy::zero3:
      return zero_workload(request);
    default:
      return pytorch_ddp(request);
  }
}

}  // namespace dsim
