#pragma once
#include <string_view>

namespace dsim {

/// To be called first: keeps files that are opened later from taking the place of a closed standard
/// stream, and makes a reader that went away an error of print() instead of a signal.
void prepare_standard_streams();

/// Writes to standard output.
void print(std::string_view text);

/// Whether all that was printed has arrived. Otherwise says why on standard error, except when the
/// reader closed the pipe (`dsim | head`), which is no mistake.
bool finish_standard_output();

}  // namespace dsim
