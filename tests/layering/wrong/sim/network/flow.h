#include <boost/graph/adjacency_list.hpp>
#include "sim/base/units.h"
