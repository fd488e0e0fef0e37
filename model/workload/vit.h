#pragma once
#include <span>

#include "model/workload/model.h"

namespace dsim {

/// Vision transformers (Dosovitskiy et al. 2020, arXiv:2010.11929) on 224 x 224 images with 1,000
/// classes, as torchvision builds them.
std::span<const ModelKind> vit_kinds();

}  // namespace dsim
