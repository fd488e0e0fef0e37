#pragma once
#include <span>

#include "model/workload/model.h"

namespace dsim {

/// Inception v3 (Szegedy et al. 2015, arXiv:1512.00567) on 299 x 299 images with 1,000 classes, as
/// torchvision builds it, with its auxiliary classifier (trained beside the main one) or without.
std::span<const ModelKind> inception_kinds();

}  // namespace dsim
