#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "sim/network/topology.h"

namespace dsim {

/// GPUs of a communicator, in rank order: "0-7", "0,8,16", "0-63:8" (every eighth), "3,1,0,2".
/// InputError names `flag`: no number, out of range, one twice, fewer than two.
std::vector<GpuId> parse_ranks(std::string_view flag, std::string_view text, std::size_t gpu_count);

/// The shortest way to write them: "0-7", "0-56:8", "3,1,0,2"; long lists are cut.
std::string ranks_text(const std::vector<GpuId>& ranks);

}  // namespace dsim
