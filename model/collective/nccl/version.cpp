#include "model/collective/nccl/version.h"

#include <fmt/core.h>

#include <charconv>

#include "sim/base/error.h"

namespace dsim {

NcclVersion parse_nccl_version(std::string_view text) {
  const auto wrong = [&](std::string_view why) {
    return InputError(fmt::format("'{}' is not a version of NCCL such as 2.27.3{}", text, why));
  };
  // What follows the numbers names a build: "2.18.3+cuda12.1", "2.18.3-1".
  const std::string_view numbers = text.substr(0, text.find_first_of("+-"));
  int part[3] = {0, 0, 0};
  const char* at = numbers.data();
  const char* const end = at + numbers.size();
  std::size_t count = 0;
  while (count < 3) {
    if (at == end || *at < '0' || *at > '9') throw wrong("");
    const auto [next, error] = std::from_chars(at, end, part[count]);
    if (error != std::errc{}) throw wrong("");
    ++count;
    at = next;
    if (at == end) break;
    if (*at++ != '.') throw wrong("");
  }
  if (at != end || count < 2) throw wrong("");
  // "2.18" is the first release that people run of it; the patch that NVIDIA tags first is 1 to 3.
  const NcclVersion version{part[0], part[1], part[2]};
  if (version.major != 2 || version.minor < 7 || version.minor > 30)
    throw wrong(" (known: 2.7 to 2.30)");
  return version;
}

std::string to_string(const NcclVersion& version) {
  return fmt::format("{}.{}.{}", version.major, version.minor, version.patch);
}

}  // namespace dsim
