#include <catch2/catch.hpp>

#include "model/strategy/ddp.h"
#include "sim/base/error.h"

using namespace dsim;

namespace {

/// Parameter tensors of a residual network, one layer a tensor group, gradients in reverse.
struct Network {
  Model model;

  void layer(std::initializer_list<std::int64_t> tensors) {
    Layer layer;
    Kernel kernel;
    std::vector<ParameterId> ids;
    for (const std::int64_t elements : tensors) {
      ids.emplace_back(model.parameters.size());
      model.parameters.push_back({"p" + std::to_string(ids.back().value), {elements}, elements});
    }
    kernel.completes.assign(ids.rbegin(), ids.rend());
    layer.backward.push_back(kernel);
    model.layers.push_back(layer);
  }
  void conv(std::int64_t in, std::int64_t out, std::int64_t size) {
    layer({in * out * size * size});
  }
  void norm(std::int64_t channels) { layer({channels, channels}); }
};

Model resnet18_tensors() {
  Network net;
  net.conv(3, 64, 7);
  net.norm(64);
  std::int64_t in = 64;
  for (const std::int64_t out : {64, 128, 256, 512})
    for (int block = 0; block < 2; ++block) {
      net.conv(in, out, 3);
      net.norm(out);
      net.conv(out, out, 3);
      net.norm(out);
      if (in != out) {
        net.conv(in, out, 1);
        net.norm(out);
      }
      in = out;
    }
  net.layer({512 * 1000, 1000});
  return net.model;
}

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
  twice.layers[0].backward[0].completes.push_back(ParameterId{0});
  CHECK_THROWS_AS(gradient_arrival(twice), std::logic_error);
  Model never = resnet18_tensors();
  never.layers[0].backward[0].completes.clear();
  CHECK_THROWS_AS(gradient_arrival(never), std::logic_error);
}
