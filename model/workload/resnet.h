#pragma once
#include <span>

#include "model/workload/model.h"

namespace dsim {

/// ResNet (He et al. 2015, arXiv:1512.03385, v1.5: stride in the 3x3) and ResNeXt (Xie et al. 2016,
/// arXiv:1611.05431) and Wide ResNet (Zagoruyko and Komodakis 2016, arXiv:1605.07146) on 224 x 224 images with 1,000 classes, as torchvision builds them.
std::span<const ModelKind> resnet_kinds();

}  // namespace dsim
