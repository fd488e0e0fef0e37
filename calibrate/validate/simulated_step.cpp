#include "calibrate/validate/training.h"

namespace dsim {

StepPredictor simulated_step() {
  return [](const Experiment& experiment) {
    RunControl control;
    control.elasticities = false;
    control.scaling = false;
    return simulate(experiment, control);
  };
}

}  // namespace dsim
