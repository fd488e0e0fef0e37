#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "tests/model/compute/kernels.h"

using namespace dsim;
using namespace dsim::testing;

namespace {

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values.at(static_cast<std::size_t>(share * static_cast<double>(values.size() - 1)));
}

}  // namespace

// 1,500 bf16 GEMMs a GPU, ai-dynamo/aiconfigurator 095f58a5 gemm_perf: columns m n k latency_us.
TEST_CASE("GEMM times agree with measured ones within the quality of the fit", "[validation]") {
  const char* data = std::getenv("DSIM_REFERENCE_DATA");
  if (data == nullptr) {
    WARN("DSIM_REFERENCE_DATA is not set: skipped");
    return;
  }
  struct Bound {
    const char* gpu;
    double median_all, median_large;
  };
  for (const Bound& bound : {Bound{"a100", 0.066, 0.073}, Bound{"h100", 0.052, 0.053},
                             Bound{"h200", 0.054, 0.056}, Bound{"b200", 0.061, 0.059}}) {
    const Gpu& gpu = gpu_by_name(bound.gpu);
    const std::filesystem::path path =
        std::filesystem::path(data) / "gemm" / ("gemm_bf16_" + std::string(bound.gpu) + ".tsv");
    std::ifstream file(path);
    INFO(path);
    REQUIRE(file);
    std::string header;
    std::getline(file, header);
    std::vector<double> all, large;
    std::int64_t m = 0, n = 0, k = 0;
    double microseconds = 0;
    while (file >> m >> n >> k >> microseconds) {
      const Kernel kernel = gemm(m, n, k);
      const double predicted = kernel_time(kernel, Precision::bf16, gpu, alone(gpu)).seconds;
      const double error = std::abs(std::log(predicted * 1e6 / microseconds));
      all.push_back(error);
      if (kernel.flops >= 1e10) large.push_back(error);
    }
    REQUIRE(all.size() > 1000);
    std::printf(
        "%s: |ln(predicted/measured)| median %.3f p90 %.3f over %zu GEMMs; >= 1e10 FLOP %.3f %.3f "
        "over %zu\n",
        bound.gpu, quantile(all, 0.5), quantile(all, 0.9), all.size(), quantile(large, 0.5),
        quantile(large, 0.9), large.size());
    CHECK(quantile(all, 0.5) < bound.median_all);
    CHECK(quantile(large, 0.5) < bound.median_large);
  }
}
