#include <QWidget>
#include "model/strategy/ddp.h"
