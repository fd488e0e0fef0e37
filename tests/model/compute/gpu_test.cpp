#include "model/compute/gpu.h"

#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "sim/base/error.h"

using namespace dsim;

TEST_CASE("A GPU is found by its name, by an alias and in the driver's spelling") {
  CHECK(gpu_by_name("h100-sxm").name == "h100-sxm");
  CHECK(gpu_by_name("H100").name == "h100-sxm");
  CHECK(gpu_by_name("a100").name == "a100-sxm-80");
  CHECK(gpu_by_name("A100-SXM4-40GB").name == "a100-sxm-40");
  CHECK(gpu_by_name("NVIDIA H100 80GB HBM3").name == "h100-sxm");
  CHECK(gpu_by_name("Tesla V100-SXM2-16GB").name == "v100-sxm2-16");
}

TEST_CASE("An unknown GPU is a user's mistake that lists known ones") {
  try {
    gpu_by_name("h1000");
    FAIL("accepted");
  } catch (const InputError& error) {
    const std::string text = error.what();
    CHECK(text.find("h1000") != std::string::npos);
    // A list that long is cut after twenty names, and says so.
    const auto rows = gpus();
    for (std::size_t g = 0; g < 20; ++g) CHECK(text.find(rows[g]->name) != std::string::npos);
    CHECK(text.find(std::to_string(rows.size()) + " in all") != std::string::npos);
  }
}

TEST_CASE("A precision the chip lacks is an error that says what it has") {
  const Gpu& v100 = gpu_by_name("v100");
  CHECK(v100.peak(Precision::fp16) == 125e12);
  for (const Precision missing : {Precision::bf16, Precision::tf32, Precision::fp8})
    CHECK_THROWS_AS(v100.peak(missing), InputError);
  try {
    v100.peak(Precision::bf16);
  } catch (const InputError& error) {
    const std::string text = error.what();
    CHECK(text.find("v100-sxm2-32 has no bf16 mode (it has fp32, fp16)") != std::string::npos);
  }
  CHECK(gpu_by_name("a100").peak(Precision::fp32) == 19.5e12);  // CUDA cores
  CHECK(gpu_by_name("a100").peak(Precision::tf32) == 156e12);
  CHECK_THROWS_AS(gpu_by_name("a100").peak(Precision::fp8), InputError);
}

TEST_CASE("Every row of the GPU table is plausible and its constants are cited") {
  std::set<std::string_view> names;
  for (const Gpu* gpu : gpus()) {
    INFO(gpu->name);
    CHECK(names.insert(gpu->name).second);
    CHECK(gpu->sms >= 40);
    CHECK(gpu->fp16 > 1.9 * gpu->fp32);
    CHECK(gpu->hbm_bytes > 11e9);
    CHECK(gpu->hbm_bandwidth > 0.25e12);
    ComputeConstants constants = gpu->constants;
    std::set<std::string_view> visited;
    constants.visit([&](std::string_view name, Constant& constant) {
      INFO(name);
      CHECK(visited.insert(name).second);
      CHECK(constant.value >= 0);
      CHECK(constant.sigma >= 0);
      CHECK(constant.sigma < 1);
      CHECK(!constant.source.empty());
    });
    CHECK(visited.size() == 21);
    // A change made by a visitor is a change of the constants.
    constants.visit([](std::string_view name, Constant& constant) {
      if (name == "kappa") constant.value *= 2;
    });
    CHECK(constants.kappa == 2 * gpu->constants.kappa);
  }
}
