#include <algorithm>

#include "model/collective/algorithm.h"
#include "model/collective/nvls_star.h"
#include "model/collective/schedule_builder.h"

namespace dsim {

namespace {

// Every GPU heads a share of the vector on every channel: it loads and adds what all GPUs hold of
// it in the switch (multimem.ld_reduce) and stores the sum to all at once.
Schedule plan_nvls(const PlanRequest& request) {
  const Communicator& c = *request.communicator;
  ScheduleBuilder builder(c, Pattern::stream);
  builder.schedule.mechanics = Mechanics::nvls;
  builder.schedule.blocks = c.size();
  const std::vector<LinkShare> star = star_links(c, c.nodes[0]);
  for (int channel = 0; channel < request.nccl->nvls_channels; ++channel) {
    builder.begin_channel();
    for (std::uint32_t head = 0; head < c.size(); ++head) {
      const std::uint32_t from = builder.add_worker(head), to = builder.add_worker(head);
      builder.connect_over(from, to, star, false);
    }
  }
  return builder.finish();
}

std::string unfit(const PlanRequest& request) {
  if (request.nccl == nullptr) return "NVLS is NCCL's";
  if (request.communicator->nodes.size() > 1)
    return "NVLS joins the GPUs of one NVLink domain; between several it needs NVLS-tree or SHARP";
  if (!request.communicator->topology->has_nvswitch()) return "NVLS needs an NVSwitch";
  if (request.nccl->nvls_channels == 0)
    return "NVLS needs NVSwitches that reduce (Hopper and later), NCCL 2.17, NCCL_NVLS_ENABLE and "
           "more than 4 GPUs";
  return "";
}

}  // namespace

extern const Algorithm nvls_algorithm;
const Algorithm nvls_algorithm{"nvls", "reduction and multicast in the NVSwitch",
                               [](CollectiveOp op) { return op == CollectiveOp::all_reduce; },
                               plan_nvls, unfit};

}  // namespace dsim
