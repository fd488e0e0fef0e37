#include <simdjson.h>
#include "calibrate/fit/fit.h"
#include "sim/engine/engine.h"
