#include "model/strategy/horovod_cycles.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <random>

#include "model/strategy/horovod_control.h"

using namespace dsim;

namespace {

HorovodThread thread_of(double cycle, Bytes threshold) {
  HorovodThread thread;
  thread.cycle = cycle;
  thread.threshold = threshold;
  thread.negotiation = [](std::int64_t) { return 1e-5; };
  thread.work = [](std::size_t, Bytes) { return 2e-5; };
  return thread;
}

/// `count` gradients of 1 MiB, enqueued `gap` after one another and computed `lag` later.
std::vector<GradientArrival> even_arrivals(int count, double gap, double lag = 0) {
  std::vector<GradientArrival> arrivals;
  for (int i = 0; i < count; ++i) arrivals.push_back({i * gap, i * gap + lag, Bytes{1 << 20}});
  return arrivals;
}

std::vector<std::size_t> first(std::size_t count) {
  std::vector<std::size_t> tensors(count);
  std::iota(tensors.begin(), tensors.end(), std::size_t{0});
  return tensors;
}

}  // namespace

TEST_CASE("fusion takes what fits, in order, and a larger tensor goes alone") {
  const std::vector<Bytes> sizes{40_MiB, 40_MiB, 200_MiB, 40_MiB, 8_MiB};
  using Fused = std::vector<std::vector<std::size_t>>;
  CHECK(fuse_responses(first(2), sizes, 128_MiB, 16) == Fused{{0, 1}});
  // 200 MiB do not fit, and skipping them would pass the threshold.
  CHECK(fuse_responses(first(5), sizes, 128_MiB, 16) == Fused{{0, 1}, {2}, {3, 4}});
  CHECK(fuse_responses(first(5), sizes, Bytes{0}, 16) == Fused{{0}, {1}, {2}, {3}, {4}});
}

TEST_CASE("fusion looks past what does not fit while the skipped bytes would fit") {
  using Fused = std::vector<std::vector<std::size_t>>;
  const std::vector<Bytes> sizes{10_MiB, 60_MiB, 20_MiB, 60_MiB, 30_MiB};
  // 60 MiB skipped (10 + 60 is above 64), so nothing after it is looked at.
  CHECK(fuse_responses(first(5), sizes, 64_MiB, 1) == Fused{{0}, {1}, {2}, {3}, {4}});
  const std::vector<Bytes> small{40_MiB, 30_MiB, 20_MiB, 30_MiB};
  // 30 MiB skipped: 40 + 30 > 64 ends the search at once.
  CHECK(fuse_responses(first(4), small, 64_MiB, 1) == Fused{{0}, {1, 2}, {3}});
  const std::vector<Bytes> even{20_MiB, 50_MiB, 20_MiB};
  CHECK(fuse_responses(first(3), even, 64_MiB, 1) == Fused{{0}, {1}, {2}});
}

TEST_CASE("every gradient is fused once, in runs that keep the threshold") {
  std::mt19937_64 random(GENERATE(1u, 2u, 3u, 4u));
  std::uniform_int_distribution<std::int64_t> bytes(1, 50 << 20);
  std::vector<Bytes> sizes;
  for (int i = 0; i < 200; ++i) sizes.push_back(Bytes{bytes(random)});
  std::vector<int> seen(sizes.size(), 0);
  for (const auto& members : fuse_responses(first(200), sizes, 64_MiB, 16)) {
    std::int64_t total = 0;
    for (const std::size_t m : members) ++seen[m], total += sizes[m].count;
    CHECK((members.size() == 1 || total <= Bytes{64_MiB}.count));
  }
  CHECK(std::all_of(seen.begin(), seen.end(), [](int n) { return n == 1; }));
}

TEST_CASE("gradients of one cycle travel together") {
  // 40 gradients in 4 ms: cycles of 1 ms see ten each, give or take where the clock stands.
  const auto arrivals = even_arrivals(40, 1e-4);
  const auto responses = run_cycles(arrivals, thread_of(1e-3, 128_MiB));
  CHECK(responses.size() >= 4);
  CHECK(responses.size() <= 5);
  const auto one = run_cycles(arrivals, thread_of(1e-2, 128_MiB));
  CHECK(one.size() == 1);
  const auto none = run_cycles(arrivals, thread_of(1e-3, Bytes{0}));
  CHECK(none.size() == 40);
}

TEST_CASE("no gradient is negotiated before it is enqueued, the last one half a cycle after") {
  const double cycle = GENERATE(1e-3, 5e-3);
  const auto arrivals = even_arrivals(37, 3.3e-4);
  const auto responses = run_cycles(arrivals, thread_of(cycle, 128_MiB));
  double before = 0;
  for (const HorovodResponse& response : responses) {
    CHECK(response.issued >= before);
    before = response.issued;
    for (const std::size_t m : response.members)
      CHECK(response.negotiated >= arrivals[m].queued + 1e-5);
  }
  CHECK(responses.back().negotiated == Approx(arrivals.back().queued + cycle / 2 + 1e-5));
}

TEST_CASE("a thread that waits for the GPU finds the rest enqueued in its next cycle") {
  // The host is 100 ms ahead of the GPU.
  const auto arrivals = even_arrivals(40, 1e-4, .1);
  HorovodThread thread = thread_of(1e-3, 128_MiB);
  const auto free = run_cycles(arrivals, thread);
  thread.waits_for_data = true;
  const auto blocked = run_cycles(arrivals, thread);
  CHECK(free.size() >= 4);
  CHECK(blocked.size() == 2);
  CHECK(blocked[0].issued >= .1);
  CHECK(blocked[1].members.size() + blocked[0].members.size() == 40);
}

TEST_CASE("a slow control plane is the cycle time") {
  HorovodThread thread = thread_of(1e-3, 128_MiB);
  thread.negotiation = [](std::int64_t) { return 8e-3; };
  const auto responses = run_cycles(even_arrivals(400, 1e-4), thread);
  CHECK(responses.size() >= 5);
  CHECK(responses.size() <= 7);
}

TEST_CASE("negotiation: recursive doubling, a ring, and requests at rank 0") {
  const HorovodConstants c = built_in_horovod_constants();
  using enum ControlPlane;
  CHECK(negotiation_seconds(mpi, c, 1, true, 0) == 0);
  CHECK(negotiation_seconds(mpi, c, 64, true, 0) == Approx(6 * c.mpi_message));
  CHECK(negotiation_seconds(mpi, c, 65, true, 0) == Approx((7 + 2) * c.mpi_message));
  CHECK(negotiation_seconds(gloo, c, 64, true, 0) == Approx(126 * c.gloo_message));
  // Linear in the ranks and in the tensors.
  const double small = negotiation_seconds(mpi, c, 256, false, 100);
  CHECK(negotiation_seconds(mpi, c, 1024, false, 100) > 3 * small);
  CHECK(negotiation_seconds(mpi, c, 256, false, 1000) > 3 * small);
}

TEST_CASE("the threshold is rounded up to 512 B for each rank of a node") {
  CHECK(applied_threshold(128_MiB, 8).count == Bytes{128_MiB}.count);
  CHECK(applied_threshold(Bytes{1}, 8).count == 4096);
  CHECK(applied_threshold(Bytes{0}, 8).count == 0);
}

TEST_CASE("since 0.23 the stream waits for gradients, not the thread") {
  HorovodOptions options;
  CHECK(!thread_waits_for_data(options));
  options.version = "0.23.0";
  CHECK(!thread_waits_for_data(options));
  options.version = "0.22.1";
  CHECK(thread_waits_for_data(options));
  options.version = "0.11.3";
  CHECK(thread_waits_for_data(options));
}
