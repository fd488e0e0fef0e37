#include "model/calibration.h"

namespace dsim {

std::string_view name_of(Level level) {
  switch (level) {
    case Level::measured:
      return "measured";
    case Level::fitted:
      return "fitted";
    case Level::published:
      return "published";
    case Level::assumed:
      return "assumed";
  }
  return "assumed";
}

}  // namespace dsim
