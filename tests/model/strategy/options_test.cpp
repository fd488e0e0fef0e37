#include <catch2/catch.hpp>

#include "model/strategy/options.h"
#include "tests/support/message_of.h"

using namespace dsim;

TEST_CASE("strategies go by the names of the field") {
  for (const Strategy strategy :
       {Strategy::ddp, Strategy::data_parallel, Strategy::fsdp1, Strategy::fsdp2, Strategy::zero1,
        Strategy::zero2, Strategy::zero3, Strategy::megatron})
    CHECK(strategy_from(name_of(strategy)) == strategy);
  CHECK(strategy_from("dp") == Strategy::data_parallel);
  CHECK(strategy_from("data_parallel") == Strategy::data_parallel);
  CHECK_THAT(test::message_of([] { strategy_from("fsdp3"); }),
             Catch::Contains("did you mean 'fsdp"));
}
