#include "../network/flow.h"
#include "model/calibration.h"
#include "units.h"
