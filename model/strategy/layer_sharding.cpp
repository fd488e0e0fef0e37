#include "model/strategy/options.h"

namespace dsim {

LayerSharding layer_sharding(const TrainingOptions& options) {
  const Parallelism& parallel = options.parallel;
  LayerSharding sharding;
  sharding.tensor = parallel.tensor;
  sharding.sequence_parallel = parallel.sequence;
  sharding.tensor_overlap = options.tensor_overlap;
  sharding.async_tensor_backward = options.async_tensor_backward;
  sharding.context = parallel.context;
  sharding.context_exchange = options.context_exchange;
  sharding.expert = parallel.expert;
  sharding.expert_tensor = parallel.expert_tensor;
  sharding.fp8_dispatch = options.fp8_dispatch;
  sharding.fused_gradient_accumulation = options.fused_gradient_accumulation;
  return sharding;
}

bool keeps_half_weights(Strategy strategy) {
  return strategy != Strategy::ddp && strategy != Strategy::data_parallel;
}

}  // namespace dsim
