#include "gui/core/session.h"
