#include "calibrate/fit/fit.h"
