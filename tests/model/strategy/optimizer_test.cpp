#include "model/strategy/optimizer.h"

#include <catch2/catch.hpp>

#include "model/strategy/host.h"
#include "sim/base/error.h"

using namespace dsim;

TEST_CASE("optimizers move at least their operands and keep fp32 states") {
  CHECK(optimizer_kind("sgd").bytes_per_parameter_full == 20);
  CHECK(optimizer_kind("adam").bytes_per_parameter_full == 28);
  CHECK(optimizer_kind("sgd").state_bytes_per_parameter == 4);
  for (const OptimizerKind* kind : optimizer_kinds()) {
    CAPTURE(kind->name);
    CHECK(!kind->help.empty());
    // Parameter, gradient and each state read, all but the gradient written.
    CHECK(kind->bytes_per_parameter_full >= 12 + 2 * kind->state_bytes_per_parameter);
    CHECK(kind->bytes_per_parameter_mixed > kind->bytes_per_parameter_full);
    CHECK(!kind->bytes_per_parameter_mixed.source.empty());
    CHECK(&optimizer_kind(kind->name) == kind);
  }
}

TEST_CASE("an unknown optimizer lists the known ones") {
  CHECK_THROWS_WITH(optimizer_kind("adamm"), Catch::Contains("adamm") && Catch::Contains("adamw"));
  CHECK_THROWS_AS(optimizer_kind(""), InputError);
}

TEST_CASE("host constants are visited by name and can be changed") {
  HostConstants host = built_in_host_constants();
  int visited = 0;
  host.visit([&visited](std::string_view name, Constant& constant) {
    CAPTURE(name);
    CHECK(constant.value > 0);
    CHECK(constant.sigma > 0);
    CHECK(!constant.source.empty());
    constant.value = ++visited;
  });
  CHECK(visited == 8);
  CHECK(host.forward_launch == 1);
  CHECK(host.step_fixed == 8);
}
