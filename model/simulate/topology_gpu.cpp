#include "model/simulate/topology_gpu.h"

#include "sim/base/error.h"
#include "sim/base/spelling.h"

namespace dsim {

const Gpu& gpu_of(const Topology& topology) {
  try {
    return gpu_by_name(topology.gpu_model());
  } catch (const InputError&) {
    std::vector<std::string_view> known;
    for (const Gpu* gpu : gpus()) known.push_back(gpu->name);
    topology.refuse_gpu(unknown_name("GPU", topology.gpu_model(), known));
    throw;  // not reached
  }
}

}  // namespace dsim
