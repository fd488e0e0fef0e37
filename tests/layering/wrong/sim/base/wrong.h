// Not compiled: the layering test must reject it.
#include "model/right.h"
