#include <catch2/catch.hpp>
#include <cmath>

#include "model/compute/attention_curves.h"
#include "sim/base/error.h"
#include "tests/model/compute/kernels.h"

using namespace dsim;
using namespace dsim::testing;

namespace {

KernelTime timed(const Kernel& kernel, const Gpu& gpu) {
  const Precision half = gpu.bf16 > 0 ? Precision::bf16 : Precision::fp16;
  return kernel_time(kernel, half, gpu, alone(gpu));
}

/// FLOP/s in units of 1e12; the fixed time of the kernel left out.
double tflops(const Kernel& kernel, const Gpu& gpu) {
  return kernel.flops / (timed(kernel, gpu).seconds - gpu.constants.gemm_floor) / 1e12;
}

Kernel with(AttentionKernel which, std::int64_t sequence, std::int64_t head, bool causal,
            Pass pass) {
  // 16k tokens, hidden size 2048: the setting of the FlashAttention papers.
  Kernel kernel = attention(16384 / sequence * (2048 / head), sequence, head, causal, pass);
  kernel.attention = which;
  return kernel;
}

}  // namespace

// arXiv 2407.08608, figures 5 and 6: H100 SXM, TFLOP/s at 512, 1k, 2k, 4k, 8k, 16k.
TEST_CASE("Fused attention on H100 agrees with the FlashAttention-3 paper kernel by kernel") {
  using enum AttentionKernel;
  struct Series {
    AttentionKernel kernel;
    std::int64_t head;
    bool causal;
    Pass pass;
    double tolerance;
    std::vector<double> tflops;
  };
  const Pass forward = Pass::forward, backward = Pass::dgrad;
  const Series series[] = {
      {flash2, 128, true, forward, 0.01, {191, 260, 298, 319, 333, 335}},
      {flash3, 128, true, forward, 0.01, {292, 423, 521, 579, 602, 616}},
      {cudnn, 128, true, forward, 0.01, {315, 410, 484, 518, 529, 539}},
      {flash2, 128, false, forward, 0.05, {309, 350, 362, 368, 370, 370}},
      {flash3, 128, false, forward, 0.03, {467, 565, 625, 638, 646, 648}},
      {flash2, 64, true, forward, 0.07, {180, 229, 262, 284, 295, 299}},
      {flash2, 64, false, forward, 0.05, {282, 306, 318, 321, 322, 324}},
      {flash3, 64, true, forward, 0.20, {197, 265, 371, 420, 460, 473}},
      {flash3, 64, false, forward, 0.08, {333, 392, 460, 476, 496, 497}},
      {flash2, 128, false, backward, 0.06, {214, 260, 291, 310, 318, 322}},
      {flash3, 128, false, backward, 0.04, {316, 424, 501, 542, 559, 561}},
      {cudnn, 128, false, backward, 0.15, {305, 408, 465, 499, 518, 516}},
      {flash2, 64, false, backward, 0.10, {198, 238, 264}},
      {flash3, 64, false, backward, 0.20, {272, 363, 422}},
  };
  const Gpu& h100 = gpu_by_name("h100");
  for (const Series& one : series)
    for (std::size_t i = 0; i < one.tflops.size(); ++i) {
      const std::int64_t sequence = std::int64_t{512} << i;
      INFO(name_of(one.kernel) << " head " << one.head << (one.causal ? " causal" : " full")
                               << (one.pass == forward ? " forward " : " backward ") << sequence);
      const double predicted =
          tflops(with(one.kernel, sequence, one.head, one.causal, one.pass), h100);
      CHECK(predicted == Approx(one.tflops[i]).epsilon(one.tolerance));
    }
}

// pytorch/benchmark pull request 2391: another H100, FlashAttention-3, no mask, 16k tokens.
TEST_CASE("An independent run of FlashAttention-3 is met within a tenth") {
  const double measured[] = {430.3, 517.1, 565.5, 590.2, 614.2, 620.7};
  for (std::size_t i = 0; i < std::size(measured); ++i)
    CHECK(tflops(with(AttentionKernel::flash3, std::int64_t{512} << i, 128, false, Pass::forward),
                 gpu_by_name("h100")) == Approx(measured[i]).epsilon(0.11));
}

// aiconfigurator 095f58a5 context_attention_perf, causal, heads of 128: median and 90th percentile
// of many batches, so of GPUs half filled and full.
TEST_CASE("Fused attention stays between measured medians and a little above their best tenth") {
  struct Row {
    const char* gpu;
    AttentionKernel kernel;
    std::vector<double> median, p90;
  };
  const Row rows[] = {
      {"a100",
       AttentionKernel::flash2,
       {.25, .36, .46, .52, .55, .57},
       {.34, .44, .51, .55, .56, .58}},
      {"h100",
       AttentionKernel::flash3,
       {.17, .28, .43, .53, .59, .61},
       {.25, .37, .49, .58, .63, .66}},
      {"b200",
       AttentionKernel::cudnn,
       {.12, .21, .32, .43, .51, .55},
       {.19, .29, .39, .49, .55, .60}},
  };
  for (const Row& row : rows)
    for (std::size_t i = 0; i < row.median.size(); ++i) {
      const Gpu& gpu = gpu_by_name(row.gpu);
      const std::int64_t sequence = std::int64_t{512} << i;
      INFO(row.gpu << " " << sequence);
      const double efficiency =
          tflops(with(row.kernel, sequence, 128, true, Pass::forward), gpu) * 1e12 / gpu.bf16;
      CHECK(efficiency >= row.median[i]);
      CHECK(efficiency < 1.2 * row.p90[i]);
    }
}

TEST_CASE("Efficiencies of attention are clamped, never extrapolated") {
  for (const AttentionCurves& row : attention_table()) {
    INFO(name_of(row.kernel) << " on " << name_of(row.architecture));
    CHECK(row.causal.at(1 << 20) == row.causal.at(16384));
    CHECK(row.causal.at(1) == row.causal.at(512));
    CHECK(!row.source.empty());
    for (int s = 512; s < 16384; s *= 2) CHECK(row.causal.at(s) <= row.causal.at(2 * s));
  }
  const Gpu& h100 = gpu_by_name("h100");
  CHECK(tflops(attention(512, 131072, 128, true, Pass::forward), h100) ==
        Approx(tflops(attention(512, 16384, 128, true, Pass::forward), h100)));
}

TEST_CASE("A newer FlashAttention is faster and automatic is the fastest that trains on the GPU") {
  const auto time = [](AttentionKernel which, const char* gpu) {
    return timed(with(which, 4096, 128, true, Pass::forward), gpu_by_name(gpu)).seconds;
  };
  using enum AttentionKernel;
  for (const char* gpu : {"a100", "h100", "b200", "l40s"}) {
    CHECK(time(flash1, gpu) > time(flash2, gpu));
    CHECK(time(automatic, gpu) <= time(flash2, gpu));
  }
  CHECK(time(flash2, "h100") > time(flash3, "h100"));
  CHECK(time(automatic, "h100") == time(flash3, "h100"));
  CHECK(time(automatic, "b200") == time(cudnn, "b200"));
  CHECK(time(automatic, "v100") == time(flash1, "v100"));
}

TEST_CASE("A kernel that a GPU lacks is refused with those it has") {
  const auto refuse = [](AttentionKernel which, const char* gpu) {
    return timed(with(which, 512, 64, true, Pass::forward), gpu_by_name(gpu));
  };
  CHECK_THROWS_WITH(refuse(AttentionKernel::flash3, "a100"),
                    Catch::Contains("flash3") && Catch::Contains("ampere") &&
                        Catch::Contains("flash1, flash2, cudnn, unfused"));
  CHECK_THROWS_AS(refuse(AttentionKernel::flash2, "v100"), InputError);
  CHECK_THROWS_AS(refuse(AttentionKernel::automatic, "p100"), InputError);
}

TEST_CASE("Who does not name an attention kernel gets the usual one of the GPU") {
  using enum AttentionKernel;
  CHECK(resolved_attention(automatic, Architecture::kepler) == unfused);
  CHECK(resolved_attention(automatic, Architecture::volta) == unfused);
  CHECK(resolved_attention(automatic, Architecture::turing) == flash1);
  CHECK(resolved_attention(automatic, Architecture::ampere) == flash2);
  CHECK(resolved_attention(automatic, Architecture::hopper) == flash3);
  CHECK(resolved_attention(automatic, Architecture::blackwell) == cudnn);
  CHECK(resolved_attention(flash1, Architecture::hopper) == flash1);
  CHECK(resolved_attention(unfused, Architecture::hopper) == unfused);
  CHECK_THROWS_AS(resolved_attention(flash3, Architecture::ada), InputError);
}

TEST_CASE("Too few blocks leave SMs idle") {
  const Gpu& h100 = gpu_by_name("h100");
  // 8 heads of 512 rows are 32 blocks of 128 on 132 SMs.
  CHECK(tflops(attention(8, 512, 128, true, Pass::forward), h100) ==
        Approx(32.0 / 132 * tflops(attention(512, 512, 128, true, Pass::forward), h100)));
  CHECK(timed(attention(8, 512, 128, true, Pass::forward), h100).sm_share <= 32.0 / 132);
}

TEST_CASE("A sliding window takes the time of its keys at the efficiency of its width") {
  const Gpu& h100 = gpu_by_name("h100");
  const std::int64_t sequence = 32768, window = 4096;
  Kernel whole = attention(64, sequence, 128, true, Pass::forward);
  Kernel sliding = whole;
  sliding.flops = 4.0 * 64 * sequence * window * 128;  // every query sees `window` keys
  CHECK(tflops(sliding, h100) ==
        Approx(tflops(attention(64, 2 * window, 128, true, Pass::forward), h100)));
  CHECK(timed(sliding, h100).seconds < timed(whole, h100).seconds * 2 * window / sequence * 1.1);
}

TEST_CASE("Head sizes pad to the kernel's own; grouped queries change bytes alone") {
  const Gpu& h100 = gpu_by_name("h100");
  const auto per_head = [&](std::int64_t head) {
    return tflops(attention(512, 4096, head, true, Pass::forward), h100);
  };
  CHECK(per_head(80) < per_head(96));    // padded to 96
  CHECK(per_head(108) < per_head(128));  // padded to 128
  CHECK(per_head(96) > per_head(64));
  CHECK(per_head(192) > 0.95 * per_head(128));  // DeepSeek's latent attention
  CHECK(per_head(256) == Approx(1.13 * per_head(128)));
  Kernel grouped = attention(512, 4096, 128, true, Pass::forward);
  grouped.bytes *= 0.6;
  CHECK(timed(grouped, h100).seconds ==
        timed(attention(512, 4096, 128, true, Pass::forward), h100).seconds);
}

TEST_CASE("Attention stays in 16 bits where GEMMs run in fp8") {
  const Gpu& h100 = gpu_by_name("h100");
  const Kernel kernel = attention(512, 4096, 128, true, Pass::forward);
  CHECK(kernel_time(kernel, Precision::fp8, h100, alone(h100)).seconds ==
        kernel_time(kernel, Precision::bf16, h100, alone(h100)).seconds);
}
