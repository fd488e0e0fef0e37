#include "model/strategy/options.h"

#include <array>

#include "sim/base/error.h"
#include "sim/base/spelling.h"

namespace dsim {
namespace {

constexpr std::array<std::string_view, 8> strategy_names{"ddp",   "dp",    "fsdp1", "fsdp2",
                                                         "zero1", "zero2", "zero3", "megatron"};
constexpr std::array<std::string_view, 2> framework_names{"pytorch", "horovod"};

}  // namespace

std::string_view name_of(Strategy strategy) {
  return strategy_names.at(static_cast<std::size_t>(strategy));
}

Strategy strategy_from(std::string_view name) {
  if (name == "data_parallel") return Strategy::data_parallel;
  for (std::size_t i = 0; i < strategy_names.size(); ++i)
    if (strategy_names[i] == name) return static_cast<Strategy>(i);
  throw InputError(unknown_name("strategy", name, strategy_names));
}

std::string_view name_of(Framework framework) {
  return framework_names.at(static_cast<std::size_t>(framework));
}

}  // namespace dsim
