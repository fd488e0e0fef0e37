#include "model/strategy/host_copies.h"

namespace dsim {

double host_copy_rate(const TrainingRequest& request) {
  constexpr double pcie3_x16 = 12e9;  // reached of 15.75 GB/s; where no batch is copied
  if (request.input_seconds <= 0 || request.model->input_bytes <= 0) return pcie3_x16;
  return request.model->input_bytes / request.input_seconds;
}

}  // namespace dsim
