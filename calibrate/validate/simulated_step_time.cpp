#include "calibrate/validate/training.h"

namespace dsim {

StepTimePredictor simulated_step_time() {
  return [](const Experiment& experiment) {
    RunControl control;
    control.elasticities = false;
    control.scaling = false;
    return simulate(experiment, control).step_time_s;
  };
}

}  // namespace dsim
