#include <algorithm>
#include <array>

#include "model/strategy/ddp.h"
#include "sim/base/error.h"

namespace dsim {

std::vector<ParameterId> gradient_arrival(const Model& model) {
  std::vector<ParameterId> order;
  std::vector<bool> arrived(model.parameters.size(), false);
  for (auto layer = model.layers.rbegin(); layer != model.layers.rend(); ++layer)
    for (const Kernel& kernel : layer->backward)
      for (const ParameterId parameter : kernel.completes) {
        require(parameter.index() < arrived.size(), "a kernel completes an unknown parameter");
        require(!arrived[parameter.index()], "two kernels complete the same parameter");
        arrived[parameter.index()] = true;
        order.push_back(parameter);
      }
  require(order.size() == arrived.size(), "no kernel completes one of the parameters");
  return order;
}

std::vector<Bucket> ddp_buckets(const Model& model, const DdpOptions& options) {
  if (options.bucket_cap.count <= 0) throw InputError("the bucket cap must be larger than 0 B");
  if (options.first_bucket.count <= 0) throw InputError("the first bucket must be larger than 0 B");
  std::vector<Bytes> sizes;
  for (const Parameter& parameter : model.parameters)
    sizes.push_back(Bytes{parameter.elements * gradient_element_bytes});

  std::vector<ParameterId> order = gradient_arrival(model);
  std::array limits{options.first_bucket, options.bucket_cap};
  if (options.first_iteration) {
    std::sort(order.begin(), order.end());
    limits.fill(Bytes{std::numeric_limits<std::int64_t>::max()});
  }
  std::vector<Bucket> buckets = assign_buckets(order, sizes, limits);
  for (Bucket& bucket : buckets) bucket.elements = bucket.bytes.count / gradient_element_bytes;
  return buckets;
}

}  // namespace dsim
