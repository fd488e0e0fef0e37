#include <catch2/catch.hpp>

#include "model/strategy/ddp.h"
#include "sim/base/error.h"
#include "tests/model/strategy/small_network.h"

using namespace dsim;

namespace {

std::vector<std::int64_t> bytes_of(const std::vector<Bucket>& buckets) {
  std::vector<std::int64_t> result;
  for (const Bucket& bucket : buckets) result.push_back(bucket.bytes.count);
  return result;
}

}  // namespace

// github.com/pytorch/pytorch/issues/48880; both rows sum to 11,689,512 parameters of 4 B.
TEST_CASE("ResNet-18 falls into the buckets reported for caps of 25 and 35 MiB") {
  const Model model = resnet18_tensors();
  DdpOptions options;
  CHECK(bytes_of(ddp_buckets(model, options)) ==
        std::vector<std::int64_t>{2'052'000, 28'852'224, 15'853'824});
  options.bucket_cap = 35_MiB;
  CHECK(bytes_of(ddp_buckets(model, options)) ==
        std::vector<std::int64_t>{2'052'000, 38'297'600, 6'408'448});
}

TEST_CASE("before the rebuild all gradients share one bucket in registration order") {
  const Model model = resnet18_tensors();
  DdpOptions options;
  options.first_iteration = true;
  const auto buckets = ddp_buckets(model, options);
  REQUIRE(buckets.size() == 1);
  CHECK(buckets[0].elements == 11'689'512);
  CHECK(std::is_sorted(buckets[0].parameters.begin(), buckets[0].parameters.end()));
}

TEST_CASE("bucket limits must be positive") {
  const Model model = resnet18_tensors();
  DdpOptions options;
  options.bucket_cap = 0_B;
  CHECK_THROWS_AS(ddp_buckets(model, options), InputError);
  options.bucket_cap = 25_MiB;
  options.first_bucket = Bytes{-1};
  CHECK_THROWS_AS(ddp_buckets(model, options), InputError);
}

TEST_CASE("every parameter must get its gradient exactly once") {
  Model twice = resnet18_tensors();
  twice.layers[0].backward.front().completes.push_back(ParameterId{0});
  CHECK_THROWS_AS(gradient_arrival(twice), std::logic_error);
  Model never = resnet18_tensors();
  never.layers[0].backward.back().completes.clear();
  CHECK_THROWS_AS(gradient_arrival(never), std::logic_error);
}
