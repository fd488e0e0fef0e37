#include "model/cli/options.h"
