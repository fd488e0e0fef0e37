#include "model/collective/report/sizes.h"

#include <catch2/catch.hpp>
#include <random>
#include <string>

#include "tests/support/message_of.h"
#include "tests/support/printing.h"

using namespace dsim;
using Catch::Matchers::Contains;
using dsim::test::message_of;

namespace {

std::vector<std::int64_t> sizes(const std::string& text) {
  std::vector<std::int64_t> result;
  for (const Bytes size : parse_collective_sizes("--sizes", text)) result.push_back(size.count);
  return result;
}

std::string refusal(const std::string& text) {
  return message_of([&] { parse_collective_sizes("--sizes", text); });
}

}  // namespace

TEST_CASE("sizes follow nccl-tests: first, last, factor or step", "[collective_report]") {
  CHECK(sizes("8") == std::vector<std::int64_t>{8});
  CHECK(sizes("8:64:2") == std::vector<std::int64_t>{8, 16, 32, 64});
  CHECK(sizes("8:100") == std::vector<std::int64_t>{8, 16, 32, 64});
  CHECK(sizes("1K:1M:32") == std::vector<std::int64_t>{1024, 32768, 1048576});
  CHECK(sizes("1M:3M:+1M") == std::vector<std::int64_t>{1 << 20, 2 << 20, 3 << 20});
  CHECK(sizes("64K, 8:16, 1.5M") == std::vector<std::int64_t>{65536, 8, 16, 3 << 19});
  CHECK(sizes("16G").front() == std::int64_t{16} << 30);
  CHECK(sizes("1MiB") == sizes("1M"));
  CHECK(sizes("8:16G:2").size() == 32);
}

TEST_CASE("sizes that cannot be are refused with the reason", "[collective_report]") {
  CHECK_THAT(refusal("0"), Contains("size 0 moves nothing"));
  CHECK_THAT(refusal("0:8:2"), Contains("size 0 moves nothing"));
  CHECK_THAT(refusal("-8"), Contains("cannot be negative"));
  CHECK_THAT(refusal("9223372036854775808"), Contains("more than 1T"));
  CHECK_THAT(refusal("1e400"), Contains("more than 1T"));
  CHECK_THAT(refusal("1G:1M"), Contains("the first size, 1G, is beyond the last, 1M"));
  CHECK_THAT(refusal("8:1G:1"), Contains("neither a factor"));
  CHECK_THAT(refusal("8:1G:+0"), Contains("size 0"));
  CHECK_THAT(refusal("8:1G:+8"), Contains("more than 10000 sizes"));
  CHECK_THAT(refusal("1KB"), Contains("Write K or KiB"));
  CHECK_THAT(refusal("1X"), Contains("unknown unit 'X'"));
  CHECK_THAT(refusal("1:2:3:4"), Contains("first:last:factor"));
  CHECK_THAT(refusal(""), Contains("a size is missing"));
  CHECK_THAT(refusal("8,"), Contains("a size is missing"));
  CHECK_THAT(refusal("nan"), Contains("no size"));
  CHECK_THAT(refusal("0.3"), Contains("no whole number of bytes"));
}

TEST_CASE("a size that is written is read again", "[collective_report]") {
  CHECK(collective_size_text(Bytes{8}) == "8");
  CHECK(collective_size_text(Bytes{1024}) == "1K");
  CHECK(collective_size_text(Bytes{3 << 19}) == "1.5M");
  CHECK(collective_size_text(Bytes{std::int64_t{16} << 30}) == "16G");
  std::mt19937_64 random(3);
  for (int i = 0; i < 1000; ++i) {
    const Bytes size{static_cast<std::int64_t>(random() >> (24 + random() % 39)) + 1};
    CHECK(parse_collective_sizes("--sizes", collective_size_text(size)) ==
          std::vector<Bytes>{size});
  }
}

TEST_CASE("counts are those that nccl-tests prints", "[collective_report]") {
  // all_gather of 2 ranks, 1024 B of float: 128 elements a rank (google/dranet's log says so).
  CHECK(element_count(CollectiveOp::all_gather, 1024_B, DataType::float32, 2).count == 128);
  CHECK(element_count(CollectiveOp::all_reduce, 1024_B, DataType::float32, 2).count == 256);
  CHECK(element_count(CollectiveOp::all_reduce, 7_B, DataType::float32, 2).size == 4_B);
  // Parts are multiples of 16 B: 64 ranks have nothing to gather below 1 KiB (NREL's log).
  CHECK(element_count(CollectiveOp::all_gather, 512_B, DataType::float32, 64).size == 0_B);
  CHECK(element_count(CollectiveOp::all_gather, 1024_B, DataType::float32, 64).size == 1024_B);
  CHECK(element_count(CollectiveOp::all_gather, 100_B, DataType::half, 3).size == 96_B);
}
