#include "model/workload/blocks/image.h"

#include <fmt/format.h>

#include "model/workload/blocks/elementwise.h"
#include "model/workload/kernels.h"
#include "sim/base/error.h"

namespace dsim {

ModelRequest resolved_images(const ModelKind& kind, const ModelRequest& asked) {
  require_whole(kind, asked.sharding);
  const ModelRequest request = resolved(kind, asked, 0);
  if (request.precision == Precision::fp8)
    throw InputError(fmt::format(
        "{}: there are no fp8 convolutions to train with (known: fp32, tf32, fp16, bf16)",
        kind.name));
  return request;
}

FeatureMap append_images(ModelBuilder& builder, std::int64_t side) {
  const FeatureMap images{builder.request().micro_batch, 3, side};
  if (builder.casts_weights())
    append_copy(builder, "image_cast", images.elements(), 1 + 4 / builder.activation_bytes(), 0, 1);
  builder.model().input_bytes = 4 * product(images.elements()) + 8 * product(images.images);
  return images;
}

}  // namespace dsim
