#include "model/calibration.h"
#include "sim/network/flow.h"
