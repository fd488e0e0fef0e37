#include "model/strategy/bucket.h"

#include <algorithm>
#include <utility>

#include "sim/base/error.h"

namespace dsim {

std::vector<Bucket> assign_buckets(std::span<const ParameterId> order, std::span<const Bytes> sizes,
                                   std::span<const Bytes> limits) {
  require(!limits.empty(), "buckets need at least one size limit");
  std::vector<Bucket> buckets;
  Bucket open;
  for (const ParameterId parameter : order) {
    require(parameter.index() < sizes.size(), "a bucketed parameter has no size");
    open.parameters.push_back(parameter);
    open.bytes += sizes[parameter.index()];
    if (open.bytes >= limits[std::min(buckets.size(), limits.size() - 1)])
      buckets.push_back(std::exchange(open, {}));
  }
  if (!open.parameters.empty()) buckets.push_back(std::move(open));
  return buckets;
}

}  // namespace dsim
