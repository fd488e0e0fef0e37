#include "calibrate/validate/hardware_rules.h"

namespace dsim {

const std::vector<NodeRule>& node_rules() {
  constexpr std::string_view sheet = "data sheet of the machine";
  constexpr std::string_view other_maker = "no GPU of the table: not an NVIDIA or AMD GPU";
  // Boxes are named in the notes ("DGX-1V"), by the links ("NVLink2 cube mesh") or in the GPU
  // column.
  static const std::vector<NodeRule> rules{
      {.gpu = "tpu|tpu-v3|tpu-v4|tpu-v5p|tpu-trillium|gaudi|gaudi2|habana|ipu|ascend|ascend910",
       .refusal = other_maker},
      {.gpu = "a10g|a30|a40|l40|l4|rtx|radeon|a5000",
       .box = "!g5-12xlarge",
       .refusal = "a box of PCIe cards that is not described"},

      {.gpu = "p100", .gpus_per_node = "=4", .node = "p100-x4", .gpus = 4,
       .assumption = "4 P100 on PCIe",
       .source = "Horovod paper (arXiv:1802.05799): 4 Pascal GPUs a server, 25 Gb/s RoCE"},
      {.gpu = "p100", .box = "nvlink1|dgx-1", .node = "dgx1-p100", .source = sheet},
      {.gpu = "k80", .box = "pcie", .node = "p2-8xlarge", .source = "Amazon EC2 p2.8xlarge"},

      {.gpu = "v100 !pcie", .box = "dgx-2|dgx-2h|nvswitch|sxm3", .node = "dgx2", .gpus = 16,
       .source = sheet},
      {.gpu = "v100 !pcie", .gpus_per_node = "=16", .node = "dgx2", .gpus = 16,
       .assumption = "16 V100 are a DGX-2", .source = sheet},
      {.gpu = "v100 !pcie", .box = "p3dn", .node = "p3dn", .source = "AWS p3dn.24xlarge"},
      {.gpu = "v100 !pcie", .box = "ndv2", .node = "ndv2", .source = "Azure NDv2"},
      {.gpu = "v100 !pcie", .box = "p3", .refusal = "a cloud node with V100 that is not described"},
      {.gpu = "v100 32gb !pcie", .gpus_per_node = "=8|=", .box = "dgx-1|dgx-1v|nvlink2",
       .node = "dgx1-v100", .gpu_name = "v100-sxm2-32", .source = sheet},
      {.gpu = "v100 !pcie", .gpus_per_node = "=8|=", .box = "dgx-1|dgx-1v|nvlink2|sxm2",
       .node = "dgx1-v100", .gpu_name = "v100-sxm2-16", .source = sheet},

      {.gpu = "a100-pcie|a100-pcie-40gb|a100-pcie-80gb|pcie",
       .refusal = "a box of PCIe cards that is not described"},
      {.gpu = "a800 !a100", .gpus_per_node = "=8|=", .node = "hgx-a800", .source = sheet},
      {.gpu = "a100 40gb", .gpus_per_node = "=8|=", .node = "dgx-a100-40", .source = sheet},
      {.gpu = "a100", .gpus_per_node = "=8|=", .node = "dgx-a100-80", .source = sheet},
      {.gpu = "a100 40gb", .gpus_per_node = "=4", .node = "hgx-a100-4", .gpu_name = "a100-sxm-40",
       .gpus = 4, .source = "NVIDIA HGX A100 4-GPU (Redstone)"},
      {.gpu = "a100", .gpus_per_node = "=4", .node = "hgx-a100-4", .gpus = 4,
       .source = "NVIDIA HGX A100 4-GPU (Redstone)"},

      {.gpu = "h100-nvl|h200-nvl", .refusal = "a box of PCIe cards that is not described"},
      {.gpu = "h100 96gb 500w", .gpus_per_node = "=8|=", .node = "dgx-h100",
       .gpu_name = "h100-sxm-96", .source = "header: Grand Teton, H100 96 GB HBM2e, 500 W"},
      {.gpu = "h100 !96gb", .gpus_per_node = "=8|=", .node = "dgx-h100", .source = sheet},
      {.gpu = "h100 !96gb", .gpus_per_node = "=4", .node = "hgx-h200-4", .gpu_name = "h100-sxm",
       .gpus = 4, .source = "NVIDIA HGX H100 4-GPU"},
      {.gpu = "h200", .gpus_per_node = "=8|=", .node = "dgx-h200", .source = sheet},
      {.gpu = "h200", .gpus_per_node = "=4", .node = "hgx-h200-4", .gpus = 4,
       .source = "NVIDIA HGX H200 4-GPU"},
      {.gpu = "h800", .gpus_per_node = "=8|=", .node = "hgx-h800", .source = sheet},
      {.gpu = "h20", .gpus_per_node = "=8|=", .node = "hgx-h20", .source = sheet},

      {.gpu = "gb200", .gpus_per_node = "=4|=72|=", .node = "gb200-nvl72", .gpus = 72,
       .source = "NVIDIA GB200 NVL72"},
      {.gpu = "gb300", .gpus_per_node = "=4|=72|=", .node = "gb200-nvl72", .gpu_name = "gb300",
       .gpus = 72, .source = "NVIDIA GB300 NVL72: as GB200 NVL72"},
      {.gpu = "gb300", .gpus_per_node = "=1", .refusal = "a workstation that is not described"},
      {.gpu = "b200", .gpus_per_node = "=8|=", .node = "dgx-b200", .source = sheet},
      {.gpu = "b300", .gpus_per_node = "=8|=", .node = "hgx-b300", .source = sheet},

      {.gpu = "l40s", .gpus_per_node = "=8|=", .node = "pcie-l40s", .source = "NVIDIA L40S data sheet"},
      {.gpu = "l40s", .refusal = "an L40S box that is not described"},
      {.gpu = "a10g", .gpus_per_node = "=4", .node = "g5-48xlarge",
       .assumption = "g5.12xlarge: half of a g5.48xlarge",
       .source = "AWS g5: A10G on PCIe"},
      {.gpu = "mi300x", .node = "mi300x", .source = "AMD Instinct MI300X platform"},
      {.gpu = "mi325x", .node = "mi300x", .gpu_name = "mi325x", .source = "AMD Instinct MI325X platform"},
      {.gpu = "mi355x", .refusal = "no row of the GPU table"},
  };
  return rules;
}

const std::vector<LinkRule>& link_rules() {
  static const std::vector<LinkRule> rules{
      {"4x100gb|4x100g|4x-edr|4x-omni-path", 4, 100},
      {"8x-hdr200|8x200gb|8x-hdr|1600gbps-node", 8, 200},
      {"8x-ndr|8x400gb|8x-400gb|400gb-s-per-gpu", 8, 400},
      {"800gbps-per-node", 8, 100},
      {"800-gb-s-a-node", 4, 200},
      {"400gbps-per-node", 4, 100},
      {"25-gbit-s-roce", 1, 25},
      {"40-gb-s-ethernet", 1, 40},
      {"100-gb-rdma-per-node", 1, 100},
      {"ib-200gb-s", 0, 200},  // "IB 200Gb/s": a NIC, how many is not stated
      {"ib-400gb-s", 0, 400},
      {"8x-connectx-7|8x-bf3", 8, 400},
      {"4x-connectx-7", 4, 400},
      {"4x-connectx-8", 4, 800},
      {"compute-8x-connectx-6|8x-connectx-6", 8, 200},
      {"compute-4x-connectx-6|4x-connectx-6|4-x-mellanox", 4, 200},
      {"2x-connectx-6", 2, 200},
      {"1x-connectx-5|compute-1-x-connectx-6", 1, 100},
      {"2x-cornelis", 2, 100},
      {"1x-cornelis", 1, 100},
      {"=infiniband|=ib|=rdma|=cx7|=", 0, 0},
  };
  return rules;
}

}  // namespace dsim
