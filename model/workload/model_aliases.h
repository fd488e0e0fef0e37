#pragma once
#include <string_view>
#include <vector>

#include "model/workload/model.h"

namespace dsim {

/// Other names of a model that model_kind() takes.
std::vector<std::string_view> aliases_of(const ModelKind& kind);

}  // namespace dsim
