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
  CHECK(gpu_by_name("Tesla P100-SXM2-16GB").name == "p100-sxm2");
  CHECK(gpu_by_name("Tesla K80").name == "k80");
  CHECK(gpu_by_name("NVIDIA GB300").name == "gb300");
  CHECK(gpu_by_name("NVIDIA RTX A6000").name == "rtx-a6000");
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
    CHECK(gpu->sms >= 13);
    CHECK((gpu->fp16 == 0 || gpu->fp16 > 1.9 * gpu->fp32));
    CHECK((gpu->bf16 == 0 || gpu->bf16 == gpu->fp16));
    CHECK((gpu->fp8 == 0 || gpu->fp8 == Approx(2 * gpu->fp16).epsilon(0.02)));
    CHECK(gpu->hbm_bytes > 11e9);
    CHECK(gpu->hbm_bandwidth >= 0.24e12);
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
    CHECK(visited.size() == 26);
    // A change made by a visitor is a change of the constants.
    constants.visit([](std::string_view name, Constant& constant) {
      if (name == "kappa") constant.value *= 2;
    });
    CHECK(constants.kappa == 2 * gpu->constants.kappa);
  }
}

// Dense peaks and bandwidths of the vendors' sheets, TFLOP/s and TB/s.
TEST_CASE("Rows of the GPU table repeat their sheets") {
  struct Sheet {
    const char* gpu;
    int sms;
    double fp32, half, bandwidth;
  };
  const Sheet sheets[] = {
      {"k80", 13, 4.37, 0, 0.24},           {"p100-sxm2", 56, 10.6, 21.2, 0.732},
      {"p100-pcie", 56, 9.3, 18.7, 0.732},  {"v100-pcie", 80, 14, 112, 0.9},
      {"a800", 108, 19.5, 312, 2.039},      {"a10", 72, 31.2, 125, 0.6},
      {"a40", 84, 37.4, 149.7, 0.696},      {"rtx-a6000", 84, 38.7, 154.8, 0.768},
      {"l4", 58, 30.3, 121, 0.3},           {"rtx-4090", 128, 82.6, 165.2, 1.008},
      {"h800", 132, 67, 989.4, 3.35},       {"h20", 78, 44, 148, 4.0},
      {"h100-sxm-96", 132, 67, 989.4, 2.4}, {"gb200", 152, 80, 2500, 8.0},
      {"b300", 148, 80, 2250, 8.0},         {"gb300", 152, 80, 2500, 8.0},
      {"mi250x", 110, 23.95, 191.5, 1.6},   {"mi300a", 228, 122.6, 980.6, 5.3},
      {"mi300x", 304, 163.4, 1307, 5.3},    {"mi325x", 304, 163.4, 1307, 6.0},
  };
  for (const Sheet& sheet : sheets) {
    INFO(sheet.gpu);
    const Gpu& gpu = gpu_by_name(sheet.gpu);
    CHECK(gpu.sms == sheet.sms);
    CHECK(gpu.fp32 == Approx(sheet.fp32 * 1e12));
    CHECK(gpu.fp16 == Approx(sheet.half * 1e12));
    CHECK(gpu.hbm_bandwidth == Approx(sheet.bandwidth * 1e12));
  }
}
