#include <catch2/catch.hpp>

#include "model/strategy/ddp.h"
#include "sim/base/error.h"

using namespace dsim;

namespace {

Model network(std::string_view name) {
  const ModelKind& kind = model_kind(name);
  return kind.build(kind, {});
}

std::vector<std::int64_t> bytes_of(const std::vector<Bucket>& buckets) {
  std::vector<std::int64_t> result;
  for (const Bucket& bucket : buckets) result.push_back(bucket.bytes.count);
  return result;
}

}  // namespace

// github.com/pytorch/pytorch/issues/48880; both rows sum to 11,689,512 parameters of 4 B.
TEST_CASE("ResNet-18 falls into the buckets reported for caps of 25 and 35 MiB") {
  const Model model = network("resnet-18");
  DdpOptions options;
  CHECK(bytes_of(ddp_buckets(model, options)) ==
        std::vector<std::int64_t>{2'052'000, 28'852'224, 15'853'824});
  options.bucket_cap = 35_MiB;
  CHECK(bytes_of(ddp_buckets(model, options)) ==
        std::vector<std::int64_t>{2'052'000, 38'297'600, 6'408'448});
}

// All-reduce sizes in a PyTorch profile of ResNet-50 on two GPUs; 25,557,032 in all.
TEST_CASE("ResNet-50 falls into the buckets of a recorded run") {
  std::vector<std::int64_t> elements;
  for (const Bucket& bucket : ddp_buckets(network("resnet-50"), {}))
    elements.push_back(bucket.elements);
  CHECK(elements ==
        std::vector<std::int64_t>{2'049'000, 7'875'584, 6'563'840, 6'637'568, 2'431'040});
}

TEST_CASE("every network puts each gradient into one bucket, in order of arrival") {
  for (const ModelKind* kind : model_kinds()) {
    CAPTURE(kind->name);
    const Model model = network(kind->name);
    std::vector<ParameterId> order;
    std::int64_t elements = 0;
    for (const Bucket& bucket : ddp_buckets(model, {})) {
      order.insert(order.end(), bucket.parameters.begin(), bucket.parameters.end());
      elements += bucket.elements;
    }
    CHECK(order == gradient_arrival(model));
    CHECK(elements == model.parameter_count());
  }
}

TEST_CASE("before the rebuild all gradients share one bucket in registration order") {
  const Model model = network("resnet-18");
  DdpOptions options;
  options.first_iteration = true;
  const auto buckets = ddp_buckets(model, options);
  REQUIRE(buckets.size() == 1);
  CHECK(buckets[0].elements == 11'689'512);
  CHECK(std::is_sorted(buckets[0].parameters.begin(), buckets[0].parameters.end()));
}

TEST_CASE("bucket limits must be positive") {
  const Model model = network("resnet-18");
  DdpOptions options;
  options.bucket_cap = 0_B;
  CHECK_THROWS_AS(ddp_buckets(model, options), InputError);
  options.bucket_cap = 25_MiB;
  options.first_bucket = Bytes{-1};
  CHECK_THROWS_AS(ddp_buckets(model, options), InputError);
}

TEST_CASE("every parameter must get its gradient exactly once") {
  Model twice = network("resnet-18");
  twice.layers[0].backward.front().completes.push_back(ParameterId{0});
  CHECK_THROWS_AS(gradient_arrival(twice), std::logic_error);
  Model never = network("resnet-18");
  for (Kernel& kernel : never.layers[0].backward) kernel.completes.clear();
  CHECK_THROWS_AS(gradient_arrival(never), std::logic_error);
}
