#include "calibrate/validate/collective/machine_rules.h"

#include <fmt/format.h>

#include "calibrate/validate/row_inputs.h"
#include "calibrate/validate/text_pattern.h"

namespace dsim {

const std::vector<MachineRule>& machine_rules() {
  constexpr std::string_view sheet = "data sheet of the machine named in the header";
  static const std::vector<MachineRule> rules{
      {.gpu = "a100 h100", .refusal = "different GPUs in one job"},

      {.gpu = "v100 dgx-2", .refusal = "no node type for DGX-2", .source = sheet},
      {.gpu = "v100", .box = "nvswitch", .refusal = "no node type for DGX-2", .source = sheet},
      {.gpu = "v100 p3dn-24xlarge",
       .node = "dgx1-v100",
       .source = "AWS: V100 cube mesh, 1 x 100 Gb/s EFA"},
      {.gpu = "v100 nd40rs-v2", .node = "dgx1-v100", .source = "Azure: V100 cube mesh, 1 x EDR"},
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
       .gpus_per_node = "=4",
       .box = "pcie4",
       .node = "a100-pcie-x4",
       .source = "header: PCIe4, no NVLink bridge",
       .assumption = "two GPUs at each of two CPUs"},
      {.gpu = "a100-pcie", .refusal = "an A100 PCIe box that is not described"},
      {.gpu = "a100 p4d-24xlarge",
       .node = "dgx-a100-40",
       .source = "AWS p4d.24xlarge: 4 x 100 Gb/s EFA"},
      {.gpu = "a100 p4de-24xlarge",
       .node = "dgx-a100-80",
       .source = "AWS p4de.24xlarge: 4 x 100 Gb/s EFA"},
      {.gpu = "a100 nd96asr-v4|nd96amsr-a100-v4",
       .node = "dgx-a100-40",
       .source = "Azure NDv4: 8 x HDR200"},
      {.gpu = "a100 40gb", .node = "dgx-a100-40", .source = sheet},
      {.gpu = "a100", .node = "dgx-a100-80", .source = sheet},

      {.gpu = "gh200",
       .refusal = "no node type for four GH200",
       .source = "CSCS Alps: 4 GH200, one Slingshot NIC each"},
      {.gpu = "h100-pcie",
       .box = "nvlink4-bridge",
       .node = "h100-pcie-bridge",
       .source = "header: two H100 PCIe joined by a bridge",
       .assumption = "three bridges: 300 GB/s a direction"},
      {.gpu = "h100-pcie|h100-nvl", .refusal = "an H100 PCIe box that is not described"},
      {.gpu = "h100 p5-48xlarge",
       .node = "dgx-h100",
       .source = "AWS p5.48xlarge: 32 x 100 Gb/s EFA"},
      {.gpu = "h100 gcp-a3-high", .node = "dgx-h100", .source = "Google A3 High: 4 x 200 Gb/s"},
      {.gpu = "h100 gcp-a3-mega", .node = "dgx-h100", .source = "Google A3 Mega: 8 x 200 Gb/s"},
      {.gpu = "h100 hpe-cray",
       .refusal = "no node type for NREL Kestrel",
       .source = "NREL Kestrel: 4 H100, NVLink in pairs",
       .assumption = "two Slingshot NICs a node (NREL's documentation)"},
      {.gpu = "h100", .node = "dgx-h100", .source = sheet},
      {.gpu = "h200 p5en-48xlarge",
       .node = "dgx-h200",
       .source = "AWS p5en.48xlarge: 16 x 200 Gb/s EFA"},
      {.gpu = "h200", .node = "dgx-h200", .source = sheet},
      {.gpu = "h20",
       .node = "dgx-h200",
       .gpu_name = "h20-sxm",
       .source = "NVIDIA HGX H20: NVLink4 on NVSwitches as HGX H200"},

      {.gpu = "gb200",
       .box = "partitions",
       .refusal = "no node type for a GB200 partition",
       .source = "header: NVLink5 inside each of 3 partitions"},
      {.gpu = "gb200",
       .refusal = "no node type for GB200",
       .source = "NVIDIA GB200: four GPUs of an NVLink5 domain"},
      {.gpu = "b200", .node = "dgx-b200", .source = sheet},
      {.gpu = "b300", .node = "dgx-b200", .gpu_name = "b300-sxm", .source = sheet},

      {.gpu = "l40s",
       .gpus_per_node = "=1|=2",
       .box = "node-distance",
       .node = "l40s-node-distance",
       .source = "header: GPU and NIC at NODE distance (same CPU, different root ports)"},
      {.gpu = "l40s",
       .node = "pcie-l40s",
       .source = "NVIDIA L40S data sheet: PCIe 4 alone",
       .assumption = "four GPUs at each of two CPUs"},
      {.gpu = "t4 g4dn-metal",
       .gpus_per_node = "=1",
       .node = "g4dn",
       .source = "AWS g4dn.metal: PCIe 3, 1 x 100 Gb/s",
       .assumption = "GPU and NIC at the same CPU"},
      {.gpu = "rtx-2080-ti",
       .gpus_per_node = "=2",
       .box = "pcie3",
       .node = "rtx-2080-ti-x2",
       .source = "header: PCIe3",
       .assumption = "both cards at one CPU"},
      {.gpu = "gb10", .refusal = "a GB10's NIC behind its own PCIe roots is not modelled"},
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
