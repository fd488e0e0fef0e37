#include "calibrate/validate/compute/compute.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "calibrate/validate/compute/compute_report.h"
#include "calibrate/validate/compute/fit_half.h"
#include "calibrate/validate/table_files.h"
#include "model/compute/gpu.h"
#include "sim/base/data_files.h"
#include "sim/base/json.h"
#include "tests/support/reference_data.h"

using namespace dsim;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;

namespace {

ComputeValidation validated(const std::string& text, const std::string& name = "folder/t.csv") {
  std::vector<CsvTable> tables;
  tables.push_back(CsvTable::parse(text, name));
  return validate_compute(tables);
}

const std::string in_name = "gemm_bf16_a100.tsv";

}  // namespace

TEST_CASE("A table of GEMMs is predicted by the built-in constants without kappa") {
  const ComputeValidation validation =
      validated("# gpu: H100 80GB HBM3\n# dtype: bf16\nm,n,k,time_us\n4096,4096,4096,166\n");
  REQUIRE(validation.rows.size() == 1);
  const ComparedGemm& row = validation.rows.front();
  CHECK(row.gpu == "h100-sxm");
  CHECK(row.status == GemmStatus::held_out);
  CHECK(row.measured_s == Approx(166e-6));
  CHECK(std::abs(row.error()) < 0.06);  // 0.84 of peak were measured
  Kernel kernel;
  kernel.kind = KernelKind::gemm;
  kernel.m = kernel.n = kernel.k = 4096;
  kernel.flops = 2 * std::pow(4096.0, 3);
  kernel.bytes = 6 * 4096.0 * 4096;
  const Gpu& gpu = gpu_by_name("h100");
  CHECK(row.predicted_s * gpu.constants.kappa ==
        Approx(kernel_time(kernel, Precision::bf16, gpu, gpu.constants).seconds));
}

TEST_CASE("GPU and precision stand in columns, remarks or the table's name") {
  const std::string rows = "m,n,k,latency_us\n256,256,4096,9\n";
  CHECK(validated(rows, in_name).rows.front().gpu == "a100-sxm-80");
  CHECK(validated("# gpu: v100\n# dtype: fp16\n" + rows, in_name).rows.front().gpu ==
        "v100-sxm2-32");
  const ComparedGemm row =
      validated("gpu,precision,m,n,k,ms\nl40s,tf32,256,256,4096,0.02\n").rows.front();
  CHECK(row.gpu == "l40s");
  CHECK(row.dtype == "tf32");
  CHECK(row.measured_s == Approx(20e-6));
  // Batched ones count their batch.
  CHECK(validated("# gpu: a100\nm,n,k,batch,us\n512,512,64,96,50\n").rows.front().flops ==
        2.0 * 512 * 512 * 64 * 96);
}

TEST_CASE("What cannot be predicted is counted with its reason") {
  const ComputeValidation validation = validated(
      "gpu,dtype,m,n,k,us\n"
      "h1000,bf16,64,64,64,5\n"
      "v100,bf16,64,64,64,5\n"
      ",bf16,64,64,64,5\n"
      "a100,bf17,64,64,64,5\n"
      "a100,bf16,0,64,64,5\n"
      "a100,bf16,64,,64,5\n"
      "a100,bf16,64,64,64,\n"
      "a100,bf16,64,64,64,-3\n"
      "a100,bf16,64,64,64,5\n");
  CHECK(validation.rows.size() == 9);
  CHECK(validation.not_predictable() == 8);
  CHECK(validation.overall().points == 1);
  CHECK_THAT(compute_text(validation), Contains("h1000") && Contains("no bf16 mode") &&
                                           Contains("no GPU stated") && Contains("bf17") &&
                                           Contains("m = 0 is no size") &&
                                           Contains("no n stated") && Contains("no time measured"));
  CHECK_THAT(compute_line(validation), EndsWith("over 1 points (8 rows not predictable)"));
}

TEST_CASE("A cell that is no number is an error at its place") {
  CHECK_THROWS_WITH(validated("# gpu: a100\nm,n,k,us\n64,64,many,5\n"),
                    Contains("t.csv:3:7") && Contains("'many' is no number"));
  CHECK_THROWS_WITH(validated("# gpu: a100\nm,n,k,us\n64,64,64,soon\n"), Contains("t.csv:3:10"));
}

TEST_CASE("Another table is left out with a notice") {
  const ComputeValidation validation = validated("size_bytes,time_us\n8,5\n");
  CHECK(validation.rows.empty());
  REQUIRE(validation.notices.size() == 1);
  CHECK_THAT(validation.notices.front(), Contains("no table of GEMMs"));
}

TEST_CASE("The halves of the fit are about equal, fixed and told apart only in the public layout") {
  const unsigned seed = 5;
  INFO("seed " << seed);
  std::mt19937 random(seed);
  std::uniform_int_distribution<std::int64_t> size(1, 1 << 16);
  int fitted = 0;
  for (int i = 0; i < 4000; ++i) fitted += in_fit_half(size(random), size(random), size(random));
  CHECK(fitted > 1850);
  CHECK(fitted < 2150);
  CHECK(in_fit_half(64, 128, 256) == in_fit_half(64, 128, 256));

  std::string rows = "m,n,k,latency_us\n";
  std::size_t expected = 0;
  for (std::int64_t m = 64; m <= 1024; m += 64) {
    rows += std::to_string(m) + ",4096,4096,100\n";
    expected += in_fit_half(m, 4096, 4096);
  }
  REQUIRE(expected > 0);
  const ComputeValidation sample = validated(rows, in_name);
  CHECK(sample.overall(GemmStatus::fitted).points == expected);
  CHECK(sample.overall().points == sample.rows.size() - expected);
  // A user's own measurements are held out whatever their shapes, as are other GPUs.
  CHECK(validated("# gpu: a100\n" + rows).overall(GemmStatus::fitted).points == 0);
  CHECK(validated(rows, "gemm_bf16_l40s.tsv").overall(GemmStatus::fitted).points == 0);
}

TEST_CASE("All faces of a compute validation hold the same closing line") {
  const ComputeValidation validation = validated(
      "m,n,k,latency_us\n4096,4096,4096,539.5\n8192,8192,8192,3743\n64,64,64,4\n", in_name);
  const std::string line = compute_line(validation);
  CHECK_THAT(compute_text(validation), EndsWith(line + "\n"));
  CHECK_THAT(compute_markdown(validation), Contains(line));
  CHECK_THAT(compute_json(validation), Contains(line));
  const std::string csv = compute_csv(validation);
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 4);
  json::Document::parse(compute_json(validation), "report");
}

TEST_CASE("The shipped GEMM tables are met by shapes that no constant was fitted to") {
  const auto tables = load_tables(data_directory() / "calibrate/validate/data/gemm", {});
  const ComputeValidation validation = validate_compute(tables);
  CHECK(validation.not_predictable() == 0);
  CHECK(validation.overall(GemmStatus::fitted).points == 0);
  REQUIRE(validation.overall().points > 200);
  CHECK(validation.overall().median < 0.065);
  for (const GemmGroup& group : validation.by(GemmStatus::held_out, gemm_gpu_key)) {
    INFO(group.name);
    CHECK(group.errors.median < 0.08);
    CHECK(group.errors.p90 < 0.22);
  }
  for (const ComparedGemm& row : validation.rows) CHECK_FALSE(in_fit_half(row.m, row.n, row.k));
}

TEST_CASE("Held-out GEMMs of 1e10 FLOP and more have a median error of at most 7 %",
          "[validation]") {
  const auto data = test::reference_data();
  if (!data) return;
  const ComputeValidation validation = validate_compute(load_tables(*data / "gemm", {}));
  const auto groups = validation.by(GemmStatus::held_out, gemm_gpu_key, large_gemm_flops);
  REQUIRE(groups.size() == 4);
  for (const GemmGroup& group : groups) {
    INFO(group.name);
    CHECK(group.errors.points > 200);
    CHECK(group.errors.median < 0.07);
  }
  // Long sums and narrow results are no worse than the rest by much.
  for (const GemmGroup& group : validation.by(GemmStatus::held_out, gemm_shape_key)) {
    INFO(group.name);
    CHECK(group.errors.median < 0.085);
    CHECK(std::abs(group.errors.bias) < 0.09);
  }
}
