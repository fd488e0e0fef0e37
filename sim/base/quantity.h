#pragma once
// Quantities as text. k, M, G, T = powers of 1000; Ki, Mi, Gi, Ti = powers of 1024; b = bit, B = byte.
// Between number and unit one space may stand. Values beyond any machine are refused: rates below
// 1 B/s (but zero) or above 1e18 B/s, times and sizes that 63 bits of ps or bytes do not hold.
#include <optional>
#include <string>
#include <string_view>

#include "sim/base/units.h"

namespace dsim {

/// "400 Gb/s", "25 GB/s". Empty if the text is not a bandwidth (no unit, trailing text, negative).
std::optional<Bandwidth> parse_bandwidth(std::string_view text);
/// "2 us", "1.5 ms", "10 ns".
std::optional<Time> parse_time(std::string_view text);
/// "1 GiB", "25 MB", "512 B". A bare number is not a size.
std::optional<Bytes> parse_bytes(std::string_view text);

// What is wrong with a text that the parser above refused, as a sentence for an error message:
//   expected a bandwidth such as "400 Gb/s", found "400 gbps" (did you mean "400 Gb/s"?)
std::string explain_bandwidth(std::string_view text);  ///< for parse_bandwidth
std::string explain_time(std::string_view text);       ///< for parse_time
std::string explain_bytes(std::string_view text);      ///< for parse_bytes

// Three to four significant figures; the one formatter for all faces.
// Values that are not finite read "inf" and "nan".
std::string format_time(double seconds);              ///< "187.4 ms"; from 2 minutes on "3 min 20 s"
std::string format_bytes(double bytes);               ///< "1.34 GB"   (powers of 1000)
std::string format_binary_bytes(double bytes);        ///< "38.2 GiB"  (powers of 1024)
std::string format_bandwidth_bits(Bandwidth rate);    ///< "400 Gb/s"
std::string format_bandwidth_bytes(Bandwidth rate);   ///< "46.8 GB/s"
std::string format_percent(double fraction);          ///< 0.412 -> "41.2 %"
std::string format_count(double value);               ///< "87,400"; whole numbers are exact
std::string format_si(double value);                  ///< "335 M", "44.7 M"

}  // namespace dsim
