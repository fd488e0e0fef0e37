#include "model/collective/forced_protocol.h"

#include <fmt/format.h>

#include "sim/base/error.h"

namespace dsim {

Protocol protocol_of_forced(const Algorithm& algorithm, std::optional<Protocol> given,
                            const NcclChoice& choice) {
  if (!given) {
    Protocol protocol = Protocol::simple;
    double least = 0;
    for (const NcclEstimate& e : choice.estimates)
      if (e.algorithm == algorithm.name && e.possible && (least == 0 || e.microseconds < least)) {
        least = e.microseconds;
        protocol = e.protocol;
      }
    return protocol;
  }
  // NVIDIA/nccl src/graph/tuning.cc: kernels of these exist for Simple only.
  if (*given != Protocol::simple)
    for (const std::string_view name :
         {"nvls", "nvls_tree", "collnet_direct", "collnet_chain", "pat"})
      if (algorithm.name == name)
        throw InputError(fmt::format("{} has no {}, only Simple", name, name_of(*given)));
  return *given;
}

}  // namespace dsim
