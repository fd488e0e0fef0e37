// Not compiled: stands to the right of sim/base/wrong.h.
#include "sim/base/wrong.h"
