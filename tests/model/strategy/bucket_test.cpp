#include "model/strategy/bucket.h"

#include <catch2/catch.hpp>
#include <numeric>
#include <random>

using namespace dsim;

namespace {

std::vector<ParameterId> ids(std::initializer_list<int> values) {
  std::vector<ParameterId> result;
  for (const int value : values) result.emplace_back(value);
  return result;
}

std::vector<ParameterId> counted(std::size_t n) {
  std::vector<ParameterId> result;
  for (std::size_t i = 0; i < n; ++i) result.emplace_back(i);
  return result;
}

}  // namespace

// A stored run of compute_bucket_assignment_by_size: 3 x Linear(512, 512), fp32, limits [1 MiB, 1
// MiB]. A weight is exactly 1 MiB, so it closes its bucket; a bias opens one.
TEST_CASE("three equal linear layers fall into the buckets that pytorch gives them") {
  const Bytes weight = 1_MiB, bias = Bytes{512 * 4};
  const std::vector sizes{weight, bias, weight, bias, weight, bias};
  const std::vector limits{1_MiB, 1_MiB};
  const auto buckets = assign_buckets(counted(6), sizes, limits);
  REQUIRE(buckets.size() == 4);
  CHECK(buckets[0].parameters == ids({0}));
  CHECK(buckets[1].parameters == ids({1, 2}));
  CHECK(buckets[2].parameters == ids({3, 4}));
  CHECK(buckets[3].parameters == ids({5}));
  CHECK(buckets[1].bytes == weight + bias);
}

TEST_CASE("a tensor larger than the limit is never split") {
  const std::vector sizes{100_B, 411_MiB, 100_B};
  const auto buckets = assign_buckets(counted(3), sizes, std::vector{25_MiB});
  REQUIRE(buckets.size() == 2);
  CHECK(buckets[0].parameters == ids({0, 1}));
  CHECK(buckets[1].parameters == ids({2}));
}

TEST_CASE("no tensors make no buckets") {
  CHECK(assign_buckets({}, {}, std::vector{1_MiB}).empty());
}

TEST_CASE("buckets without a limit are a programmer's mistake") {
  const std::vector sizes{4_B};
  CHECK_THROWS_AS(assign_buckets(counted(1), sizes, {}), std::logic_error);
}

TEST_CASE("any list of tensors is partitioned in order under the closing rule") {
  const std::uint32_t seed = GENERATE(range(1u, 200u));
  INFO("seed " << seed);
  std::mt19937_64 random{seed};
  const std::size_t n = random() % 60;
  std::vector<Bytes> sizes(n);
  for (Bytes& size : sizes) size = Bytes{static_cast<std::int64_t>(1 + random() % (3u << 20))};
  std::vector<Bytes> limits(1 + random() % 3);
  for (Bytes& limit : limits) limit = Bytes{static_cast<std::int64_t>(1 + random() % (5u << 20))};
  auto order = counted(n);
  std::shuffle(order.begin(), order.end(), random);

  const auto buckets = assign_buckets(order, sizes, limits);

  std::vector<ParameterId> joined;
  for (std::size_t b = 0; b < buckets.size(); ++b) {
    INFO("bucket " << b);
    const Bucket& bucket = buckets[b];
    REQUIRE(!bucket.parameters.empty());
    Bytes sum;
    for (const ParameterId p : bucket.parameters) sum += sizes[p.index()];
    CHECK(bucket.bytes == sum);
    const Bytes limit = limits[std::min(b, limits.size() - 1)];
    const Bytes before_last = sum - sizes[bucket.parameters.back().index()];
    CHECK(before_last < limit);                                // it was open when the last one came
    if (b + 1 < buckets.size()) CHECK(bucket.bytes >= limit);  // and only the leftover stays below
    joined.insert(joined.end(), bucket.parameters.begin(), bucket.parameters.end());
  }
  CHECK(joined == order);
}
