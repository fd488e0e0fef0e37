#pragma once
#include <stdexcept>
#include <string_view>

namespace dsim {

/// Standard output could not take what was printed. `reader_left` = it was a pipe whose reader had
/// enough (`dsim | head`), which is nobody's mistake.
struct OutputError : std::runtime_error {
  explicit OutputError(int reason);
  bool reader_left;
};

/// To be called first: keeps files that are opened later from taking the place of a closed standard
/// stream, and makes a reader that went away an error of print() instead of a signal.
void prepare_standard_streams();

/// Writes to standard output. OutputError.
void print(std::string_view text);

/// Makes sure that all that was printed has arrived. OutputError.
void finish_standard_output();

}  // namespace dsim
