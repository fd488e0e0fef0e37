#include "model/compute/size_curve.h"

#include <cmath>

namespace dsim {

double SizeCurve::at(double x) const {
  if (x <= first) return y.front();
  const double position = std::log(x / first) / std::log(factor);
  if (position >= static_cast<double>(points - 1)) return y.back();
  const auto left = static_cast<std::size_t>(position);
  const double share = position - static_cast<double>(left);
  return y[left] * (1 - share) + y[left + 1] * share;
}

}  // namespace dsim
