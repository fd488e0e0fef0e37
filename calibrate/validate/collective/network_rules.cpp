#include "calibrate/validate/collective/network_rules.h"

#include <fmt/format.h>

#include "calibrate/validate/row_inputs.h"
#include "calibrate/validate/text_pattern.h"

namespace dsim {

const std::vector<NetworkRule>& network_rules() {
  static const std::vector<NetworkRule> rules{
      // Sockets, whatever they run over.
      {.link = "ipoib", .sockets = true},
      {.link = "tcp over-slingshot",
       .kind = "slingshot",
       .count = 4,
       .gigabits = 200,
       .sockets = true},
      {.link = "10-gb-s-tcp", .kind = "tcp", .count = 1, .gigabits = 10, .sockets = true},
      {.link = "tcp",
       .kind = "tcp",
       .count = 1,
       .gigabits = 25,
       .sockets = true,
       .assumption = "one NIC of 25 Gb/s"},
      // Clouds.
      {.link = "gpudirect-tcpxo", .kind = "tcpxo", .count = 8, .gigabits = 200},
      {.link = "gpudirect-tcpx", .kind = "tcpx", .count = 4, .gigabits = 200},
      {.link = "efa 32x-100g", .kind = "efa", .count = 32, .gigabits = 100},
      {.link = "efa 16x-200g", .kind = "efa", .count = 16, .gigabits = 200},
      {.link = "efa 8x-400g", .kind = "efa", .count = 8, .gigabits = 400},
      {.link = "efa 4x-100g", .kind = "efa", .count = 4, .gigabits = 100},
      {.link = "efa 1x-100g|=100g-efa", .kind = "efa", .count = 1, .gigabits = 100},
      {.link = "slingshot 4x-200g", .kind = "slingshot", .count = 4, .gigabits = 200},
      {.link = "slingshot 1x-200g", .kind = "slingshot", .count = 1, .gigabits = 200},
      {.link = "slingshot 200g",
       .gpu = "hpe-cray",
       .kind = "slingshot",
       .count = 2,
       .gigabits = 200},
      {.link = "slingshot", .refusal = "how many Slingshot NICs is not stated"},
      // RoCE.
      {.link = "roce 4-node-ring 200g", .kind = "roce", .gigabits = 200, .fabric = "ring"},
      {.link = "roce 200g", .gpu = "gb10", .kind = "roce", .gigabits = 200},
      {.link = "roce 16x-100g", .kind = "roce", .count = 16, .gigabits = 100},
      {.link = "roce 16x-200g", .kind = "roce", .count = 16, .gigabits = 200},
      {.link = "roce 8x-400g", .kind = "roce", .count = 8, .gigabits = 400},
      {.link = "roce 1x-400g", .kind = "roce", .count = 1, .gigabits = 400},
      {.link = "roce 2x-100g", .kind = "roce", .count = 2, .gigabits = 100},
      {.link = "roce rate-not-stated",
       .gpu = "l40s",
       .kind = "roce",
       .count = 1,
       .gigabits = 200,
       .assumption = "one NIC of 200 Gb/s"},
      {.link = "roce", .refusal = "NICs of a RoCE machine not stated"},
      // InfiniBand.
      {.link = "8x-ndr400|8x-400g", .kind = "ib", .count = 8, .gigabits = 400},
      {.link = "16x-ndr",
       .kind = "ib",
       .count = 16,
       .gigabits = 200,
       .assumption = "16 NICs of 200 Gb/s: two a GPU"},
      {.link = "ndr nic-count-of-this-run-not-stated",
       .kind = "ib",
       .count = 8,
       .gigabits = 400,
       .assumption = "8 NICs of 400 Gb/s"},
      {.link = "8x-hdr200", .kind = "ib", .count = 8, .gigabits = 200},
      {.link = "4x-hdr200|4x-200g", .kind = "ib", .count = 4, .gigabits = 200},
      {.link = "2x-hdr200", .kind = "ib", .count = 2, .gigabits = 200},
      {.link = "1x-hdr200", .kind = "ib", .count = 1, .gigabits = 200},
      {.link = "hdr200 nic-count-not-stated",
       .kind = "ib",
       .count = 8,
       .gigabits = 200,
       .assumption = "8 NICs of 200 Gb/s: NIC count not stated"},
      {.link = "4x-edr100|4x-edr", .kind = "ib", .count = 4, .gigabits = 100},
      {.link = "1x-edr100|1x-edr", .kind = "ib", .count = 1, .gigabits = 100},
      {.link = "100g-connectx-4",
       .gpu = "v100",
       .kind = "ib",
       .count = 4,
       .gigabits = 100,
       .assumption = "four NICs of 100 Gb/s as in a DGX-1"},
      {.link = "ib-100g",
       .gpu = "v100",
       .kind = "ib",
       .count = 1,
       .gigabits = 100,
       .assumption = "one NIC of 100 Gb/s"},
      {.link = "4-nics-listed-for-one-gpu",
       .kind = "ib",
       .count = 8,
       .gigabits = 400,
       .assumption = "a GPU uses the NIC nearest to it"},
      {.link = "ib-between-the-3-partitions",
       .gpu = "gb200",
       .kind = "ib",
       .gigabits = 400,
       .assumption = "one NIC of 400 Gb/s a GPU"},
      {.link = "=", .gpu = "a100 dgx-a100", .gigabits = 0, .assumption = "the NICs of a DGX A100"},
  };
  return rules;
}

const NetworkRule& network_of(const StatedRun& run) {
  for (const NetworkRule& rule : network_rules()) {
    if (!matches(run.inter_link, rule.link) || !matches(run.gpu, rule.gpu)) continue;
    if (!rule.refusal.empty()) throw Unpredictable{Obstacle::hardware, std::string(rule.refusal)};
    return rule;
  }
  if (run.inter_link.empty()) throw Unpredictable{Obstacle::hardware, "network not stated"};
  throw Unpredictable{Obstacle::hardware,
                      fmt::format("no rule for the network '{}'", run.inter_link)};
}

}  // namespace dsim
