#include "calibrate/validate/collective/machine_rules.h"

#include <fmt/format.h>

#include "calibrate/validate/row_inputs.h"
#include "calibrate/validate/text_pattern.h"

namespace dsim {

const std::vector<MachineRule>& machine_rules() {
  constexpr std::string_view sheet = "data sheet of the machine named in the header";
  static const std::vector<MachineRule> rules{
      {.gpu = "a100 h100", .refusal = "different GPUs in one job"},

      {.gpu = "v100 dgx-2", .node = "dgx2", .source = sheet},
      {.gpu = "v100", .box = "nvswitch", .node = "dgx2", .source = sheet},
      {.gpu = "v100 p3dn-24xlarge", .node = "p3dn", .source = "AWS p3dn.24xlarge"},
      {.gpu = "v100 nd40rs-v2", .node = "ndv2", .source = "Azure NDv2"},
      {.gpu = "v100 32gb !pcie", .node = "dgx1-v100", .gpu_name = "v100-sxm2-32", .source = sheet},
      {.gpu = "v100 dgx-1", .node = "dgx1-v100", .source = sheet},
      {.gpu = "v100 !pcie",
       .node = "dgx1-v100",
       .source = sheet,
       .assumption = "8 V100 in a hybrid cube mesh as in a DGX-1"},

      {.gpu = "a100-pcie",
       .gpus_per_node = "=1",
       .box = "nic-on-another-socket",
       .node = "a100-pcie-far-nic",
       .source = "header: the NIC is on the other socket"},
      {.gpu = "a100-pcie",
       .box = "pcie4",
       .node = "pcie-a100",
       .source = "header: PCIe4, no NVLink bridge",
       .assumption = "two GPUs at each of two CPUs"},
      {.gpu = "a100-pcie", .refusal = "an A100 PCIe box that is not described"},
      {.gpu = "a100 p4d-24xlarge", .node = "p4d", .source = "AWS p4d.24xlarge"},
      {.gpu = "a100 p4de-24xlarge", .node = "p4de", .source = "AWS p4de.24xlarge"},
      {.gpu = "a100 nd96asr-v4", .node = "ndv4", .source = "Azure NDv4"},
      {.gpu = "a100 nd96amsr-a100-v4",
       .node = "ndv4",
       .gpu_name = "a100-sxm-80",
       .source = "Azure NDm A100 v4"},
      {.gpu = "a100 bm-gpu-b4-8", .node = "oci-b4", .source = "Oracle BM.GPU.B4.8"},
      {.gpu = "a100 bm-gpu4-8", .node = "oci-gpu4", .source = "Oracle BM.GPU4.8"},
      {.gpu = "a100 40gb", .node = "dgx-a100-40", .source = sheet},
      {.gpu = "a100", .node = "dgx-a100-80", .source = sheet},

      {.gpu = "gh200", .node = "gh200-x4", .source = "CSCS Alps: 4 GH200, a Slingshot NIC each"},
      {.gpu = "h100-pcie",
       .box = "nvlink4-bridge",
       .node = "pcie-h100-nvl",
       .source = "header: two H100 PCIe joined by a bridge"},
      {.gpu = "h100-pcie|h100-nvl", .refusal = "an H100 PCIe box that is not described"},
      {.gpu = "h100 p5-48xlarge", .node = "p5", .source = "AWS p5.48xlarge"},
      {.gpu = "h100 gcp-a3-high", .node = "a3-high", .source = "Google A3 High"},
      {.gpu = "h100 gcp-a3-mega", .node = "a3-mega", .source = "Google A3 Mega"},
      {.gpu = "h100 bm-gpu-h100-8", .node = "oci-h100", .source = "Oracle BM.GPU.H100.8"},
      {.gpu = "h100 hpe-cray",
       .node = "kestrel",
       .source = "NREL Kestrel: 4 H100",
       .assumption = "two Slingshot NICs a node (NREL's documentation)"},
      {.gpu = "h100", .node = "dgx-h100", .source = sheet},
      {.gpu = "h200 p5en-48xlarge", .node = "p5en", .source = "AWS p5en.48xlarge"},
      {.gpu = "h200 gcp-a3-ultra", .node = "a3-ultra", .source = "Google A3 Ultra"},
      {.gpu = "h200", .node = "dgx-h200", .source = sheet},
      {.gpu = "h20", .node = "hgx-h20", .source = "NVIDIA HGX H20"},

      {.gpu = "gb200 nvl4", .node = "gb200-nvl4", .source = "header: NVL4"},
      {.gpu = "gb200",
       .node = "gb200-nvl72",
       .source = "NVIDIA GB200 NVL72: GPUs of NVLink5 domains"},
      {.gpu = "b200 p6-b200-48xlarge", .node = "p6-b200", .source = "AWS p6-b200.48xlarge"},
      {.gpu = "b200 gcp-a4", .node = "a4", .source = "Google A4"},
      {.gpu = "b200", .node = "dgx-b200", .source = sheet},
      {.gpu = "b300", .node = "hgx-b300", .source = sheet},

      {.gpu = "l40s",
       .gpus_per_node = "=1|=2",
       .box = "node-distance",
       .node = "l40s-node-distance",
       .source = "header: GPU and NIC at NODE distance (same CPU, different root ports)"},
      {.gpu = "l40s",
       .node = "pcie-l40s",
       .source = "NVIDIA L40S data sheet: PCIe 4 alone",
       .assumption = "four GPUs at each of two CPUs"},
      {.gpu = "t4 g4dn-metal", .node = "g4dn-metal", .source = "AWS g4dn.metal"},
      {.gpu = "rtx-2080-ti",
       .gpus_per_node = "=2",
       .node = "pcie-2080ti",
       .source = "header: PCIe3 through host memory",
       .assumption = "both cards at one CPU"},
      {.gpu = "gb10", .node = "dgx-spark", .source = "NVIDIA DGX Spark"},
  };
  return rules;
}

const MachineRule& machine_of(const StatedRun& run) {
  if (run.gpu.empty()) throw Unpredictable{Obstacle::hardware, "GPU not stated"};
  if (run.nodes == 0 || run.gpus_per_node == 0)
    throw Unpredictable{Obstacle::hardware, "nodes or GPUs a node not stated"};
  const std::string box = fmt::format("{}; {}", run.intra_link, run.inter_link);
  for (const MachineRule& rule : machine_rules()) {
    if (!matches(run.gpu, rule.gpu) || !matches(box, rule.box) ||
        !matches(std::to_string(run.gpus_per_node), rule.gpus_per_node))
      continue;
    if (!rule.refusal.empty()) throw Unpredictable{Obstacle::hardware, std::string(rule.refusal)};
    return rule;
  }
  throw Unpredictable{Obstacle::hardware,
                      fmt::format("no rule for GPU '{}', {} a node", run.gpu, run.gpus_per_node)};
}

}  // namespace dsim
