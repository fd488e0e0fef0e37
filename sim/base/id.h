#pragma once
#include <compare>
#include <cstdint>
#include <functional>

namespace dsim {

/// A typed index: ids of different things cannot be mixed. `none` means "no such thing".
template <class Tag>
struct Id {
  static constexpr std::uint32_t none = 0xffffffffu;
  std::uint32_t value = none;

  constexpr Id() = default;
  constexpr explicit Id(std::uint32_t v) : value(v) {}
  constexpr explicit Id(std::size_t v) : value(static_cast<std::uint32_t>(v)) {}
  constexpr explicit Id(int v) : value(static_cast<std::uint32_t>(v)) {}
  constexpr bool valid() const { return value != none; }
  constexpr std::size_t index() const { return value; }
  auto operator<=>(const Id&) const = default;
};

}  // namespace dsim

template <class Tag>
struct std::hash<dsim::Id<Tag>> {
  std::size_t operator()(dsim::Id<Tag> id) const noexcept { return std::hash<std::uint32_t>{}(id.value); }
};
