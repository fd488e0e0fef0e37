#include "gui/views/page.h"
