#include "model/collective/nccl/explain.h"

#include <catch2/catch.hpp>

#include "tests/model/collective/nccl/nccl_machines.h"

using namespace dsim;
using namespace dsim::test;
using Catch::Contains;

namespace {

std::string explain(const NcclWorld& w, Bytes size, CollectiveOp op = CollectiveOp::all_reduce,
                    DataType type = DataType::half) {
  return explain_nccl(w.graphs, w.machine, w.settings, op, size, type);
}

}  // namespace

TEST_CASE("the explanation names the winner, the margin, the term that decides and the switches",
          "[nccl]") {
  const std::string text = explain(h100(1), 16_MiB);
  INFO(text);
  CHECK_THAT(text, Contains("NCCL 2.30.7 chooses nvls Simple for all_reduce of 16 MiB (half)"));
  CHECK_THAT(text, Contains("* 86.7 (25.0 + 61.7)"));  // the reference's test vector
  CHECK_THAT(text, Contains("Bandwidth decides"));
  CHECK_THAT(text, Contains("collnet_direct, collnet_chain"));
  CHECK_THAT(text, Contains("At 1 MiB and below it is ring LL."));
  CHECK_THAT(text, Contains("No larger size is run otherwise."));
}

TEST_CASE("the explanation says where the next choice begins and what was forbidden", "[nccl]") {
  const std::string small = explain(h100(2), 8_KiB);
  INFO(small);
  CHECK_THAT(small, Contains("chooses tree LL"));
  CHECK_THAT(small, Contains("Latency decides"));
  CHECK_THAT(small, Contains("From 256 KiB on it is tree LL128."));
  CHECK_THAT(small, Contains("nvls: NVLS on several nodes needs CollNet"));

  NcclWorld forced = h100(1);
  forced.settings.algo = "ring";
  forced.settings.proto = "LL";
  const std::string only = explain(forced, 1_GiB);
  INFO(only);
  CHECK_THAT(only, Contains("Nothing else is possible."));
  CHECK_THAT(only, Contains("NCCL_ALGO leaves it out"));
  CHECK_THAT(only, Contains("ring LL128, ring Simple: NCCL_PROTO leaves it out"));
}

TEST_CASE(
    "the explanation of an 8-bit all_reduce says why not NVLS; of sends, that nothing is chosen",
    "[nccl]") {
  CHECK_THAT(explain(h100(1), 1_GiB, CollectiveOp::all_reduce, DataType::int8),
             Contains("nvls: NVLS reduces neither 8-bit integers nor fp8"));
  CHECK_THAT(explain(h100(1), 1_GiB, CollectiveOp::all_to_all), Contains("sends and receives"));
}
