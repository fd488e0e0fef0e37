#include "sim/base/spelling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "sim/base/source_line.h"

namespace dsim {
namespace {

constexpr std::size_t longest_word = 100;  // longer words are no misspelt names
constexpr std::size_t most_listed = 20;

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

/// Damerau-Levenshtein distance (optimal string alignment: no part is edited twice).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates) {
  if (word.empty() || word.size() > longest_word) return {};
  const std::string sought = lower(word);
  std::string_view best, containing;
  std::size_t best_distance = longest_word;
  for (const std::string_view candidate : candidates) {
    if (candidate.size() > longest_word) continue;
    const std::string name = lower(candidate);
    const std::size_t distance = edit_distance(sought, name);
    if (distance <= std::max(sought.size(), name.size()) / 3 && distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
    if (word.size() >= 3 && name.find(sought) != std::string::npos &&
        (containing.empty() || candidate.size() < containing.size()))
      containing = candidate;
  }
  return best.empty() ? containing : best;
}

std::string known_names(std::string_view word, std::span<const std::string_view> known) {
  if (known.empty()) return "(none is known)";
  std::string result = "(";
  if (const auto near = nearest(word, known); !near.empty())
    result += fmt::format("did you mean '{}'? ", near);
  result += "known: ";
  const std::size_t listed = known.size() > most_listed + 2 ? most_listed : known.size();
  for (std::size_t i = 0; i < listed; ++i) {
    if (i > 0) result += ", ";
    result += known[i];
  }
  if (listed < known.size()) result += fmt::format(", ... ({} in all)", known.size());
  return result + ")";
}

std::string unknown_name(std::string_view what, std::string_view word,
                         std::span<const std::string_view> known) {
  return fmt::format("unknown {} '{}' {}", what, excerpt(word), known_names(word, known));
}

}  // namespace dsim
