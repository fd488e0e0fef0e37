#pragma once
#include <compare>
#include <string>
#include <string_view>

namespace dsim {

/// A release of NCCL. Constants of its choice differ between 2.7 and 2.30.
struct NcclVersion {
  int major = 2, minor = 27, patch = 3;
  auto operator<=>(const NcclVersion&) const = default;
};

/// "2.18.3", "2.18", "2.18.3+cuda12.1". Throws InputError outside 2.7 to 2.30.
NcclVersion parse_nccl_version(std::string_view text);
std::string to_string(const NcclVersion& version);

}  // namespace dsim
