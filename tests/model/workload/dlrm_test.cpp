// DLRM: parameters, and tables shared by ranks.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "tests/model/workload/model_queries.h"

using namespace dsim;
using namespace dsim::testing;

namespace {

Model shared_by(std::uint32_t ranks, std::int64_t samples) {
  ModelRequest request{samples, 0, Precision::fp32};
  request.sharding.expert = ranks;
  return build("dlrm", request);
}

std::vector<Kernel> exchanges(const std::vector<Kernel>& kernels) {
  std::vector<Kernel> found;
  for (const Kernel& kernel : kernels)
    if (kernel.kind == KernelKind::communication) found.push_back(kernel);
  return found;
}

}  // namespace

TEST_CASE("DLRM has 187,767,399 rows of 128 columns and two MLPs, however it is shared",
          "[networks]") {
  // Weights and biases of 13-512-256-128 and 479-1024-1024-512-256-1.
  const std::int64_t tables = std::int64_t{187'767'399} * 128;
  const std::int64_t mlps = 13 * 512 + 512 + 512 * 256 + 256 + 256 * 128 + 128 + 479 * 1024 + 1024 +
                            1024 * 1024 + 1024 + 1024 * 512 + 512 + 512 * 256 + 256 + 256 + 1;
  CHECK(build("dlrm", {64}).parameter_count() == tables + mlps);
  CHECK(shared_by(8, 8192).parameter_count() == tables + mlps);
}

TEST_CASE("DLRM's tables travel as one vector a table and sample, beside the bottom MLP",
          "[networks]") {
  CHECK(exchanges(forward_kernels(build("dlrm", {64}))).empty());
  const Model model = shared_by(8, 8192);
  const Layer& features = model.layers.front();
  for (const auto* kernels : {&features.forward, &features.backward}) {
    const auto found = exchanges(*kernels);
    REQUIRE(found.size() == 1);
    CHECK(found.front().op == CollectiveOp::all_to_all);
    CHECK(found.front().group == ParallelGroup::expert);
    CHECK(found.front().bytes == 8192.0 * 26 * 128 * 4);
    const auto at = std::find_if(kernels->begin(), kernels->end(), [](const Kernel& kernel) {
      return kernel.kind == KernelKind::communication;
    });
    const auto waits = at + 1 + at->hidden_behind;
    CHECK(at->hidden_behind >= 6);
    CHECK((waits == kernels->end() || waits->name == "embeddings.scatter_add"));
  }
}

TEST_CASE("a shared DLRM holds its share of the tables and has gradients of touched rows only",
          "[networks]") {
  const Model two = shared_by(2, 4096), eight = shared_by(8, 4096);
  const double tables = 187'767'399.0 * 128 * 4;
  CHECK(two.workspace_bytes == Approx(tables / 2).epsilon(0.01));
  CHECK(eight.workspace_bytes == Approx(tables / 8).epsilon(0.01));
  CHECK(eight.local_parameter_count() < 26 * 4096 * 128 + 2'500'000);
  CHECK(eight.model_flops == two.model_flops);
}
