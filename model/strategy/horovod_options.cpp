#include "model/strategy/horovod_options.h"

#include <fmt/format.h>

#include <charconv>

#include "sim/base/error.h"

namespace dsim {

// horovod/horovod commit 3ffe479e, first in v0.21.0: cycle 5 -> 1 ms, threshold 64 -> 128 MiB;
// batched copies since then, too (pull request 2435).
HorovodOptions horovod_defaults(std::string_view version) {
  int major = 0, minor = 0;
  const char* end = version.data() + version.size();
  const auto first = std::from_chars(version.data(), end, major);
  const bool dot = first.ec == std::errc{} && first.ptr != end && *first.ptr == '.';
  if (!dot || std::from_chars(first.ptr + 1, end, minor).ec != std::errc{} || major != 0 ||
      minor < 10 || minor > 28)
    throw InputError(
        fmt::format("Horovod version '{}' is not a release from 0.10 to 0.28", version));
  HorovodOptions options;
  options.version = version;
  if (minor >= 21) return options;
  options.cycle_seconds = 5e-3;
  options.fusion_threshold = 64_MiB;
  options.batched_copies = false;
  return options;
}

}  // namespace dsim
