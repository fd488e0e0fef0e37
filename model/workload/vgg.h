#pragma once
#include <span>

#include "model/workload/model.h"

namespace dsim {

/// Convolutions with biases and ReLU, then three dense layers with dropout, as torchvision builds
/// them: AlexNet (Krizhevsky 2014, arXiv:1404.5997) and VGG without batch norm (Simonyan and
/// Zisserman 2014, arXiv:1409.1556) on 224 x 224 images with 1,000 classes.
std::span<const ModelKind> vgg_kinds();

}  // namespace dsim
