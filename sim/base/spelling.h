#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dsim {

/// The candidate nearest to `word` by edit distance, or "" if none is near enough to suggest.
std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);

/// "unknown link kind 'nvlnk' (did you mean 'nvlink'? known: nvlink, pcie, ib)".
std::string unknown_name(std::string_view what, std::string_view word,
                         std::span<const std::string_view> known);

}  // namespace dsim
