#pragma once
#include <string_view>
#include <vector>

#include "model/compute/gpu.h"

namespace dsim {

/// Other names of a GPU that gpu_by_name() takes.
std::vector<std::string_view> aliases_of(const Gpu& gpu);

}  // namespace dsim
