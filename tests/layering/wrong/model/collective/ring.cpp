#include "model/strategy/ddp.h"
