#include <CLI/CLI.hpp>
#include "model/strategy/ddp.h"
