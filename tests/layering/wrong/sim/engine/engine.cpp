#include "sim/network/flow.h"
