#include "model/simulate/values.h"

#include <catch2/catch.hpp>
#include <string>

#include "sim/base/error.h"

using namespace dsim;

namespace {
template <class Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}
}  // namespace

TEST_CASE("A whole number is digits within its range") {
  CHECK(parse_whole("--micro-batch", "32", 1, 100) == 32);
  CHECK(message_of([] { parse_whole("--micro-batch", "0", 1, 100); }) ==
        "error: --micro-batch '0' is not a whole number from 1 to 100");
  for (const std::string text :
       {"", "1.5", "-3", "3x", "x3", "99999999999999999999", "0x10", "1e3"})
    CHECK_THROWS_AS(parse_whole("--seq", text, 1, 1'000'000), InputError);
}

TEST_CASE("A size needs its unit") {
  CHECK(parse_size("--bucket-cap", "25 MiB") == 25_MiB);
  CHECK(parse_size("--bucket-cap", "25MiB") == 25_MiB);
  for (const std::string text : {"25", "0 B", "-1 MiB", "25 MiBs", "", "MiB", "25 Gb/s"})
    CHECK_THROWS_AS(parse_size("--bucket-cap", text), InputError);
}

TEST_CASE("A list of ranks takes single ranks and ranges, each rank once") {
  CHECK(parse_ranks("--trace-ranks", "0,5,8-11") == std::vector<std::uint32_t>{0, 5, 8, 9, 10, 11});
  CHECK(parse_ranks("--trace-ranks", "3") == std::vector<std::uint32_t>{3});
  CHECK(parse_ranks("--trace-ranks", " 2 , 1 ") == std::vector<std::uint32_t>{2, 1});
  CHECK(message_of([] { parse_ranks("--trace-ranks", "0-4,3"); }) ==
        "error: --trace-ranks '0-4,3' names rank 3 twice");
  for (const std::string text :
       {"", ",", "1,", "4-2", "-1", "a", "1-", "0-99999999999", "0-16777215"})
    CHECK_THROWS_AS(parse_ranks("--trace-ranks", text), InputError);
}

TEST_CASE("An ellipsis in GPU counts goes on by the factor before it") {
  using Counts = std::vector<std::int64_t>;
  CHECK(parse_gpu_counts("--gpus", "8,16,...,512") == Counts{8, 16, 32, 64, 128, 256, 512});
  CHECK(parse_gpu_counts("--gpus", "8,...,64") == Counts{8, 16, 32, 64});
  CHECK(parse_gpu_counts("--gpus", "1,4,…,64,100") == Counts{1, 4, 16, 64, 100});
  CHECK(parse_gpu_counts("--gpus", "8,16,...,100") == Counts{8, 16, 32, 64, 100});
  CHECK(parse_gpu_counts("--gpus", "64") == Counts{64});
  for (const std::string text : {"", "0,8", "16,8", "8,8", "...,8", "8,...", "8,...,4", "8,...,x",
                                 "8,...,99999999999", "8,-16"})
    CHECK_THROWS_AS(parse_gpu_counts("--gpus", text), InputError);
  CHECK(message_of([] { parse_gpu_counts("--gpus", "8,12,...,64"); }) ==
        "error: --gpus '8,12,...,64': the numbers before '...' must have a whole ratio of at least "
        "2");
}

TEST_CASE("Sizes double from the first to the last, which is always there") {
  using Counts = std::vector<std::int64_t>;
  CHECK(doubling_sizes(8, 64) == Counts{8, 16, 32, 64});
  CHECK(doubling_sizes(8, 100) == Counts{8, 16, 32, 64, 100});
  CHECK(doubling_sizes(8, 8) == Counts{8});
}

TEST_CASE("A straggler is a rank and a factor") {
  const RankFactor slow = parse_rank_factor("--straggler", "3=1.2x");
  CHECK(slow.rank == 3);
  CHECK(slow.factor == Approx(1.2));
  CHECK(parse_rank_factor("--straggler", "0=2").factor == 2);
  for (const std::string text :
       {"", "3", "3=", "=2", "3=x", "3=0", "3=-1", "3=nan", "3=inf", "3=1e9", "a=2"})
    CHECK_THROWS_AS(parse_rank_factor("--straggler", text), InputError);
}
