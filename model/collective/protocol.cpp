#include "model/collective/protocol.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "sim/base/error.h"
#include "sim/base/spelling.h"

namespace dsim {

namespace {
constexpr std::array<std::string_view, 4> names = {"LL", "LL128", "Simple", "host"};
}  // namespace

std::string_view name_of(Protocol protocol) { return names.at(static_cast<std::size_t>(protocol)); }

Protocol protocol_by_name(std::string_view name) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (std::equal(
            name.begin(), name.end(), names[i].begin(), names[i].end(),
            [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); }))
      return static_cast<Protocol>(i);
  throw InputError(unknown_name("protocol", name, names));
}

double wire_factor(Protocol protocol) {
  switch (protocol) {
    case Protocol::ll:
      return 2;
    case Protocol::ll128:
      return 16.0 / 15;
    default:
      return 1;
  }
}

}  // namespace dsim
