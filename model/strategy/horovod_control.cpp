#include "model/strategy/horovod_control.h"

#include <bit>
#include <charconv>

namespace dsim {

double negotiation_seconds(ControlPlane control, const HorovodConstants& constants,
                           std::uint32_t ranks, bool cache, std::int64_t uncached) {
  if (ranks <= 1) return 0;
  const bool mpi = control == ControlPlane::mpi;
  const double message = mpi ? constants.mpi_message : constants.gloo_message;
  const double levels = std::bit_width(ranks - 1);  // of a tree: ceil(log2 ranks)
  const double others = ranks - 1;
  double seconds = 0;
  if (cache)
    seconds += message * (mpi ? levels + (std::has_single_bit(ranks) ? 0 : 2) : 2 * others);
  if (uncached <= 0) return seconds;
  // Lengths, then lists, to rank 0; and both back.
  const double gather = message + others * message * constants.root_message;
  seconds += 2 * gather + 2 * levels * message;
  return seconds + static_cast<double>(uncached) * ranks * constants.request;
}

bool thread_waits_for_data(const HorovodOptions& options) {
  int minor = 0;
  const std::string& version = options.version;
  const std::size_t dot = version.find('.');
  if (dot == std::string::npos) return false;
  std::from_chars(version.data() + dot + 1, version.data() + version.size(), minor);
  return version.starts_with("0.") && minor < 23;
}

Bytes applied_threshold(Bytes threshold, std::uint32_t ranks_per_node) {
  const std::int64_t unit = 8 * 64 * std::int64_t{ranks_per_node};
  return Bytes{(threshold.count + unit - 1) / unit * unit};
}

}  // namespace dsim
