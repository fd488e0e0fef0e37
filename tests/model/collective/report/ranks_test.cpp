#include "model/collective/report/ranks.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/message_of.h"

using namespace dsim;
using Catch::Matchers::Contains;
using dsim::test::message_of;

namespace {

std::string read_back(const std::string& text) {
  return ranks_text(parse_ranks("--ranks", text, 64));
}
std::string refusal(const std::string& text) {
  return message_of([&] { parse_ranks("--ranks", text, 64); });
}

}  // namespace

TEST_CASE("ranks are ranges, strides and lists, in the order given", "[collective_report]") {
  CHECK(parse_ranks("--ranks", "3,1,0,2", 4) ==
        std::vector<GpuId>{GpuId{3}, GpuId{1}, GpuId{0}, GpuId{2}});
  CHECK(parse_ranks("--ranks", "0-63:8", 64).size() == 8);
  CHECK(parse_ranks("--ranks", "0-63:8", 64).back() == GpuId{56});
  CHECK(parse_ranks("--ranks", " 0 - 3 , 8", 64).size() == 5);
}

TEST_CASE("ranks are written the shortest way", "[collective_report]") {
  CHECK(read_back("0,1,2,3") == "0-3");
  CHECK(read_back("0-63:8") == "0-56:8");
  CHECK(read_back("3,1,0,2") == "3,1,0,2");
  CHECK(read_back("0-7,16-23") == "0-7,16-23");
}

TEST_CASE("ranks twice, out of range or too few are refused", "[collective_report]") {
  CHECK_THAT(refusal("0,0"), Contains("GPU 0 is named twice"));
  CHECK_THAT(refusal("0-7,7"), Contains("GPU 7 is named twice"));
  CHECK_THAT(refusal("0-64"), Contains("GPU 64 does not exist; the topology has 64 (0 to 63)"));
  CHECK_THAT(refusal("0-99999999999999999999"), Contains("too large"));
  CHECK_THAT(refusal("5"), Contains("needs two ranks"));
  CHECK_THAT(refusal("7-0"), Contains("runs backwards"));
  CHECK_THAT(refusal("0-8:0"), Contains("stride of 0"));
  CHECK_THAT(refusal("0;1"), Contains("unexpected ';1'"));
  CHECK_THAT(refusal("-1"), Contains("from 0 on"));
  CHECK_THAT(refusal(""), Contains("from 0 on"));
}
