#pragma once
// Values as people write them in flags, experiment files and input fields. Pure functions; each
// throws InputError with the name of the setting and what was expected.
#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/base/units.h"

namespace dsim {

/// A whole number in [low, high], digits only: "32".
std::int64_t parse_whole(std::string_view setting, std::string_view text, std::int64_t low,
                         std::int64_t high);

/// A number in [low, high]: "0.02", "1.5e12", "300 G" (k, M, G, T).
double parse_number(std::string_view setting, std::string_view text, double low, double high);

/// Seconds of a duration with its unit, above 0: "90 s", "30 min", "2000 h", "30 d".
double parse_duration(std::string_view setting, std::string_view text);

/// A size with its unit, at least 1 byte: "25 MiB".
Bytes parse_size(std::string_view setting, std::string_view text);

/// Ranks: "0,5,8-11" is 0 5 8 9 10 11. In the order given, without repetition.
std::vector<std::uint32_t> parse_ranks(std::string_view setting, std::string_view text);

/// GPU counts, rising: "8,16,64". An ellipsis goes on by the factor of the two numbers before it up
/// to the one after it: "8,16,...,512"; after a single number it doubles.
std::vector<std::int64_t> parse_gpu_counts(std::string_view setting, std::string_view text);

/// first, 2 first, 4 first, ... and `last`. Requires 0 < first <= last.
std::vector<std::int64_t> doubling_sizes(std::int64_t first, std::int64_t last);

/// A rank and how much slower it is.
struct RankFactor {
  std::uint32_t rank = 0;
  double factor = 1;
};

/// "3=1.2x" (the x may be left out): rank 3 takes 1.2 times as long. The factor is in (0, 1000].
RankFactor parse_rank_factor(std::string_view setting, std::string_view text);

}  // namespace dsim
