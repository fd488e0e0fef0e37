#pragma once
#include "model/strategy/gradient_writer.h"

namespace dsim {

/// Writes the program of a rank that holds all layers (no pipeline).
class MegatronStep {
 public:
  MegatronStep(const TrainingRequest& request, const RankGrid& grid, SharedCalls& calls);
  Program write();

 private:
  void micro_batch(std::int64_t index, bool last);

  const TrainingRequest& request_;
  StepWriter writer_;
  GradientWriter gradients_;
};

/// HBM bytes of adding one element of a gradient where an exchange keeps main gradients: reads what
/// backward made and the sum, writes the sum.
double main_gradient_bytes(const TrainingRequest& request, const GradientExchange& exchange);

}  // namespace dsim
