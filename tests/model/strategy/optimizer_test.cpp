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

// Counted by hand on aten/src/ATen/native/cuda/MultiTensorApply.cuh.
TEST_CASE("multi-tensor kernels take as many tensors as their table holds, loops one") {
  const auto launches = [](const char* name, std::size_t tensors, double parameters) {
    return optimizer_launches(optimizer_kind(name), tensors, parameters);
  };
  CHECK(launches("sgd", 161, 25.6e6) == 4);   // ResNet-50: 161 tensors by 48
  CHECK(launches("adam", 393, 335e6) == 16);  // BERT-large: 335 M by 20,971,520
  CHECK(launches("adam-foreach", 393, 335e6) == 7 * 16);
  CHECK(launches("adam-loop", 393, 335e6) == 12 * 393);
  CHECK(launches("adam", 1, 1) == 1);
  for (const OptimizerKind* kind : optimizer_kinds()) {
    CAPTURE(kind->name);
    for (std::size_t tensors = 1; tensors < 2000; tensors *= 3)
      for (double parameters = 1; parameters < 1e12; parameters *= 100) {
        CHECK(optimizer_launches(*kind, tensors + 1, parameters) >=
              optimizer_launches(*kind, tensors, parameters));
        CHECK(optimizer_launches(*kind, tensors, parameters * 2) >=
              optimizer_launches(*kind, tensors, parameters));
      }
  }
}

TEST_CASE("foreach moves about three times what a fused optimizer does") {
  const auto bytes = [](const char* name) {
    return optimizer_kind(name).bytes_per_parameter_full.value;
  };
  CHECK(bytes("adam-foreach") / bytes("adam") == Approx(3).epsilon(0.2));
  CHECK(bytes("sgd-foreach") > 1.5 * bytes("sgd"));
  CHECK(bytes("adam-loop") == bytes("adam-foreach"));
  CHECK(bytes("adam-8bit") < bytes("adam"));
  CHECK(optimizer_kind("adam-8bit").state_bytes_per_parameter == 2);
  CHECK(optimizer_kind("adafactor").state_bytes_per_parameter == 0);
}

// ZeRO-Offload, arXiv 2101.06840.
TEST_CASE("Adam on the CPUs of a node takes the published seconds") {
  CHECK(1e9 / cpu_adam_rate() == Approx(0.22).epsilon(0.15));
  CHECK(10e9 / cpu_adam_rate() == Approx(2.57).epsilon(0.15));
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
  CHECK(visited == 10);
  CHECK(host.forward_launch == 1);
  CHECK(host.step_fixed == 9);
}
