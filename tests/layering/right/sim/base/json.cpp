#include <simdjson.h>
#include "sim/base/units.h"
