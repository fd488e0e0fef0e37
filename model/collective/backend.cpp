#include "model/collective/backend.h"

#include <array>

#include "sim/base/error.h"
#include "sim/base/spelling.h"

namespace dsim {

namespace {
constexpr std::array<std::string_view, 3> names = {"nccl", "gloo", "mpi"};
}  // namespace

std::string_view name_of(Backend backend) { return names.at(static_cast<std::size_t>(backend)); }

Backend backend_by_name(std::string_view name) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (name == names[i]) return static_cast<Backend>(i);
  throw InputError(unknown_name("back end", name, names));
}

}  // namespace dsim
