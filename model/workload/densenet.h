#pragma once
#include <span>

#include "model/workload/model.h"

namespace dsim {

/// DenseNet-BC (Huang et al. 2016, arXiv:1608.06993) on 224 x 224 images with 1,000 classes, as
/// torchvision builds it without checkpointing.
std::span<const ModelKind> densenet_kinds();

}  // namespace dsim
