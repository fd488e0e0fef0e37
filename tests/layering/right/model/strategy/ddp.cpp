#include "model/calibration.h"
