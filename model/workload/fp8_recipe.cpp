#include <array>

#include "model/workload/model.h"
#include "sim/base/error.h"
#include "sim/base/spelling.h"

namespace dsim {
namespace {

constexpr std::array<std::string_view, 4> names{"delayed", "dynamic", "block", "nvfp4"};

}  // namespace

std::string_view name_of(Fp8Recipe recipe) { return names.at(static_cast<std::size_t>(recipe)); }

Fp8Recipe fp8_recipe_from(std::string_view name) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return static_cast<Fp8Recipe>(i);
  throw InputError(unknown_name("fp8 recipe", name, names));
}

}  // namespace dsim
