#include <vector>
#include "sim/base/units.h"
