#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dsim {

/// The candidate nearest to `word` by edit distance (insert, delete, replace, swap neighbours; case
/// is ignored), or "" if none is near enough to suggest: within a third of the longer one's length,
/// or else containing the word.
std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);

/// "(did you mean 'nvlink'? known: nvlink, pcie, ib)"; long lists are cut and counted.
std::string known_names(std::string_view word, std::span<const std::string_view> known);

/// "unknown link kind 'nvlnk' (did you mean 'nvlink'? known: nvlink, pcie, ib)".
std::string unknown_name(std::string_view what, std::string_view word,
                         std::span<const std::string_view> known);

}  // namespace dsim
