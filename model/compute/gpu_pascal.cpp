#include "model/compute/gpu_rows.h"

// Kepler and Pascal: no tensor cores, so everything runs on CUDA cores in fp32. fp16 GEMMs of
// training accumulate in fp32 and gain nothing on Pascal's packed halves.
namespace dsim {
namespace {

constexpr std::string_view guess =
    "structure of the V100 row in fp32, which 48 GEMMs of DeepBench hold";

// h and kr of the V100 row at its fp32 intensity: 9 and 184 times 15.7/125 x 4/2.
constexpr ComputeConstants pascal{
    .gemm_floor = {5e-6, 0.3, Level::assumed, guess, ""},
    .gemm_efficiency = {0.48, 0.15, Level::assumed,
                        "fp16 with fp32 accumulation runs at the fp32 rate, half of the peak", ""},
    .simt_efficiency = {0.93, 0.08, Level::assumed, guess, ""},
    .gemm_memory = {0.75, 0.12, Level::assumed, guess, ""},
    .gemm_tile = {2.3, 0.3, Level::assumed, guess, ""},
    .gemm_depth = {46, 0.3, Level::assumed, guess, ""},
    .gemm_waves = whole_waves,
    .split_cost = {2e-6, 0.3, Level::assumed, guess, ""},
    .gemm_unaligned = no_line_alignment,
    .gemm_misaligned = no_line_alignment,
    .throttle = {1.0, 0.05, Level::assumed, guess, "long kernels"},
    .fp8_gain = no_fp8,
    .fp8_gain_grouped = no_fp8,
    .conv = {1.0, 0.15, Level::assumed, "as a GEMM of the same shape", ""},
    .conv_fp32 = conv_fp32,
    .winograd = {1.55, 0.2, Level::published,
                 "Lavin & Gray 2016, arXiv 1509.09308: VGG at 64 images 1.44 of the peak of a Titan "
                 "X (Maxwell), GEMMs .93",
                 "fp32, 3x3, stride 1, one group"},
    .wgrad = wgrad,
    .wgrad_accumulate = wgrad_accumulate,
    .attention = {1.0, 0.3, Level::assumed, "never used: no fused attention kernel", ""},
    .attention_backward = attention_backward,
    .attention_narrow = attention_narrow,
    .memory_efficiency = {0.75, 0.08, Level::published,
                          "device copies on P100: 540-560 of 732 GB/s, commonly reported",
                          ">= 64 MB"},
    .memory_sms = memory_sms,
    .kernel_floor = {3e-6, 0.3, Level::assumed, "as V100, older driver and clock", ""},
    .kappa = {1.05, 0.15, Level::assumed, "as V100", ""},
    .kappa_bytes = {1.0, 0.10, Level::assumed, "as V100", ""},
    .memory_curve = ampere_memory_curve,
};

// The peak below is at the boost clock, which a K80 under load leaves: 562 to 875 MHz at 150 W a
// die.
constexpr ComputeConstants kepler = [] {
  ComputeConstants constants = pascal;
  constants.simt_efficiency = {0.75, 0.15, Level::assumed,
                               "GK210 GEMMs keep three of four CUDA cores fed", ""};
  constants.gemm_floor.value = 8e-6;
  constants.kernel_floor.value = 6e-6;
  constants.winograd = {1.3, 0.2, Level::assumed,
                        "less than on Maxwell and Pascal, whose shared memory is larger an SM",
                        "fp32, 3x3, stride 1"};
  constants.kappa = {1.2, 0.2, Level::assumed, "clock under load below boost: 562 to 875 MHz", ""};
  constants.memory_efficiency = {0.70, 0.10, Level::assumed,
                                 "GDDR5 with ECC: 170 of 240 GB/s, commonly reported", ""};
  return constants;
}();

constexpr Gpu p100(std::string_view name, std::string_view title, std::string_view help,
                   double fp32, double fp16) {
  return {.name = name,
          .title = title,
          .help = help,
          .architecture = Architecture::pascal,
          .sms = 56,
          .fp32 = fp32,
          .tf32 = 0,
          .fp16 = fp16,
          .bf16 = 0,
          .fp8 = 0,
          .hbm_bytes = 16280 * mebi,
          .hbm_bandwidth = 0.732 * tera,
          .constants = pascal};
}

}  // namespace

constinit const Gpu k80{.name = "k80",
                        .title = "Tesla K80, one of its two dies, 12 GB",
                        .help = "NVIDIA K80 board specification, halved: 13 SMX at 875 MHz",
                        .architecture = Architecture::kepler,
                        .sms = 13,
                        .fp32 = 4.37 * tera,
                        .tf32 = 0,
                        .fp16 = 0,
                        .bf16 = 0,
                        .fp8 = 0,
                        .hbm_bytes = 11441 * mebi,
                        .hbm_bandwidth = 0.240 * tera,
                        .constants = kepler};
constinit const Gpu p100_sxm2 = p100("p100-sxm2", "P100 SXM2 16 GB",
                                     "NVIDIA P100 data sheet, NVLink", 10.6 * tera, 21.2 * tera);
constinit const Gpu p100_pcie = p100(
    "p100-pcie", "P100 PCIe 16 GB", "NVIDIA P100 data sheet, PCIe; 250 W", 9.3 * tera, 18.7 * tera);

}  // namespace dsim
