#pragma once
// Lines of logs as people paste them.
#include <string>
#include <string_view>
#include <vector>

namespace dsim {

/// A line is looked at up to here; no line of nccl-tests or of NCCL is as long.
inline constexpr std::size_t longest_log_line = 4096;

/// The line without mpirun's tags ("[1,0]<stdout>:"), terminal colours, byte order mark and control
/// characters (tabs become spaces), cut at `longest_log_line`.
std::string clean_log_line(std::string_view line);

/// Its words. A # that touches what follows is a word of its own, but in "#wrong".
std::vector<std::string_view> log_words(std::string_view line);

/// Whole text is a number. Empty for anything else, for NaN and infinity.
bool read_number(std::string_view word, double& value);
bool read_number(std::string_view word, std::int64_t& value);

/// What follows `mark` in the line, without blanks at its beginning; "" if the mark is not there.
std::string_view text_after(std::string_view line, std::string_view mark);
/// The integer that follows `mark`.
bool number_after(std::string_view line, std::string_view mark, std::int64_t& value);

}  // namespace dsim
