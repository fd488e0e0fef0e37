#pragma once
// Where a network for images begins and ends.
#include "model/workload/blocks/feature_map.h"
#include "model/workload/builder.h"

namespace dsim {

/// The request of a network for images with its defaults filled in. InputError: fp8, ranks within a
/// layer, a sequence length.
ModelRequest resolved_images(const ModelKind& kind, const ModelRequest& asked);

/// Appends the cast of a micro-batch of fp32 RGB images of `side` x `side`, where one is needed, to
/// the layer begun last and states the bytes of images and int64 labels. Returns the images.
FeatureMap append_images(ModelBuilder& builder, std::int64_t side);

}  // namespace dsim
