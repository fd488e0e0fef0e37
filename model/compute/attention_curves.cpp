#include "model/compute/attention_curves.h"

#include <algorithm>

#include "sim/base/error.h"

namespace dsim {
namespace {

using enum AttentionKernel;
using enum Architecture;

// Sequences of 512, 1k, 2k, 4k, 8k, 16k; the ends are never extrapolated.
constexpr SizeCurve curve(std::array<double, SizeCurve::points> efficiency) {
  return {512, 2, efficiency};
}

constexpr std::string_view flash3_paper =
    "arXiv 2407.08608 figures 5 and 6 (16k tokens, hidden 2048)";
constexpr std::string_view step_times =
    "mosaicml/llm-foundry step times, which say no kernel: FlashAttention-1 is inferred";
constexpr std::string_view like_ampere = "as on A100";
constexpr std::string_view like_hopper = "as many FLOP/s an SM as on H100";

// A100: the 90th percentile of aiconfigurator 095f58a5 context_attention_perf (medians .25 .36 .46
// .52 .55 .57). Its lower rows are small batches that fill no GPU, which this model counts apart;
// on H100 that percentile is within 16 % of the paper at 512 and 1k, 8 % from 2k.
constexpr SizeCurve ampere_flash2 = curve({0.34, 0.44, 0.51, 0.55, 0.56, 0.58});
constexpr SizeCurve ampere_flash1 = curve({0.22, 0.30, 0.37, 0.40, 0.41, 0.42});
// H100: FLOP/s of the paper over 989.4e12.
constexpr SizeCurve hopper_flash1 = curve({0.13, 0.165, 0.20, 0.22, 0.235, 0.25});
constexpr SizeCurve hopper_flash2 = curve({0.193, 0.263, 0.301, 0.322, 0.337, 0.339});
constexpr SizeCurve hopper_flash3 = curve({0.295, 0.428, 0.527, 0.585, 0.608, 0.623});
constexpr SizeCurve hopper_cudnn = curve({0.318, 0.414, 0.489, 0.524, 0.535, 0.545});
// B200: medians of trtllm-gen (.12 .21 .32 .43 .51 .55) times what the 90th percentile is of the
// median on H100.
constexpr SizeCurve blackwell_cudnn = curve({0.176, 0.277, 0.365, 0.469, 0.546, 0.594});
// Kernels written for older tensor cores: FLOP/s an SM as on H100 (989.4/132 against 2250/148).
constexpr SizeCurve blackwell_flash2 = curve({0.095, 0.130, 0.148, 0.159, 0.166, 0.167});
constexpr SizeCurve blackwell_flash1 = curve({0.064, 0.081, 0.099, 0.108, 0.116, 0.123});
constexpr SizeCurve cdna = curve({0.15, 0.22, 0.30, 0.35, 0.38, 0.40});

// Heads of 64: FA2 .88 (.86 to .94) and FA3 .74 (.63 to .77) on H100 in the paper, FA1 .88 in the
// step times, trtllm-gen .60 to .67. Heads of 256: FA3 reaches 740 TFLOP/s in the abstract where
// heads of 128 reach 648; FA2 is taken to lose a tenth to registers, FA1 more.
constexpr double flash1_wide = 0.7, flash2_wide = 0.9, flash3_wide = 1.13;

}  // namespace

const std::vector<AttentionCurves>& attention_table() {
  static const std::vector<AttentionCurves> rows{
      {flash1, volta, ampere_flash1, 0.88, flash1_wide, Level::assumed, like_ampere},
      {flash1, turing, ampere_flash1, 0.88, flash1_wide, Level::assumed, like_ampere},
      {flash1, ampere, ampere_flash1, 0.88, flash1_wide, Level::fitted, step_times},
      {flash2, ampere, ampere_flash2, 0.88, flash2_wide, Level::measured,
       "ai-dynamo/aiconfigurator 095f58a5 context_attention_perf, 90th percentile"},
      {cudnn, ampere, ampere_flash2, 0.88, flash2_wide, Level::assumed, "as FlashAttention-2"},
      {flash1, ada, ampere_flash1, 0.88, flash1_wide, Level::assumed, like_ampere},
      {flash2, ada, ampere_flash2, 0.88, flash2_wide, Level::assumed, like_ampere},
      {cudnn, ada, ampere_flash2, 0.88, flash2_wide, Level::assumed, like_ampere},
      {flash1, hopper, hopper_flash1, 0.88, flash1_wide, Level::fitted, step_times},
      {flash2, hopper, hopper_flash2, 0.88, flash2_wide, Level::published, flash3_paper},
      {flash3, hopper, hopper_flash3, 0.74, flash3_wide, Level::published, flash3_paper},
      {cudnn, hopper, hopper_cudnn, 0.74, 1.0, Level::published, flash3_paper},
      {flash1, blackwell, blackwell_flash1, 0.88, flash1_wide, Level::assumed, like_hopper},
      {flash2, blackwell, blackwell_flash2, 0.88, flash2_wide, Level::assumed, like_hopper},
      {cudnn, blackwell, blackwell_cudnn, 0.62, 1.0, Level::measured,
       "aiconfigurator 095f58a5 context_attention_perf (trtllm-gen), level raised as on H100"},
      {flash2, cdna2, cdna, 0.78, flash2_wide, Level::assumed, "below the best GEMM reported"},
      {flash2, cdna3, cdna, 0.78, flash2_wide, Level::assumed, "below the best GEMM reported"},
  };
  return rows;
}

AttentionKernel fastest_attention(Architecture architecture) {
  switch (architecture) {
    case kepler:
    case pascal:
      throw InputError("no fused attention kernel runs on " + std::string(name_of(architecture)) +
                       " (--attention unfused)");
    case volta:
    case turing:
      return flash1;
    case ampere:
    case ada:
    case cdna2:
    case cdna3:
      return flash2;
    case hopper:
      return flash3;
    case blackwell:
      return cudnn;
  }
  return flash2;
}

const AttentionCurves& attention_curves(AttentionKernel kernel, Architecture architecture) {
  const AttentionKernel wanted = kernel == automatic ? fastest_attention(architecture) : kernel;
  const std::vector<AttentionCurves>& rows = attention_table();
  const auto found = std::ranges::find_if(rows, [&](const AttentionCurves& row) {
    return row.kernel == wanted && row.architecture == architecture;
  });
  if (found != rows.end()) return *found;
  std::string known;
  for (const AttentionCurves& row : rows)
    if (row.architecture == architecture)
      known += (known.empty() ? "" : ", ") + std::string(name_of(row.kernel));
  throw InputError("attention " + std::string(name_of(wanted)) + " does not run on " +
                   std::string(name_of(architecture)) + " GPUs (they have " +
                   (known.empty() ? "" : known + ", ") + "unfused)");
}

AttentionKernel resolved_attention(AttentionKernel asked, Architecture architecture) {
  if (asked == unfused) return asked;
  if (asked != automatic) return attention_curves(asked, architecture).kernel;
  return architecture < turing ? unfused : fastest_attention(architecture);
}

// FlashAttention-2 and -3 on H100 agree within 3 % (arXiv 2407.08608, heads of 128 and 64).
double unmasked_gain(double sequence) {
  static constexpr SizeCurve gain = curve({1.60, 1.34, 1.20, 1.12, 1.09, 1.06});
  return gain.at(sequence);
}

// The same paper, heads of 128 without a mask: FA2 .69 to .87 and FA3 .68 to .87 of forward.
double backward_share(double sequence) {
  static constexpr SizeCurve share = curve({0.79, 0.86, 0.925, 0.975, 0.993, 1.0});
  return share.at(sequence);
}

}  // namespace dsim
