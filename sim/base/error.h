#pragma once
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace dsim {

/// A place in a text file; line and column count from 1, 0 means "unknown".
struct TextPosition {
  std::string file;
  int line = 0;
  int column = 0;
};

/// A user's mistake in a file or a flag. `what()` is the whole message as the user sees it:
///   topologies/pod.json:14:11: error: unknown link kind 'nvlnk' (did you mean 'nvlink'? ...)
///      14 |   "kind": "nvlnk",
///         |           ^~~~~~~
/// Caught once in main (exit status 2) and once in the GUI session.
class InputError : public std::runtime_error {
 public:
  /// A mistake that is not in a file (a flag, a combination): "error: <message>".
  explicit InputError(std::string_view message);
  /// A mistake at a position; `source_line` is the offending line, `length` the marked width.
  InputError(const TextPosition& position, std::string_view message, std::string_view source_line,
             int length = 1);
  /// Several mistakes of one file, reported together in order of position (at most ten are shown).
  /// Requires at least one.
  explicit InputError(const std::vector<InputError>& errors);

  /// Where the (first) mistake is; an empty file name when it is not in a file.
  const TextPosition& position() const;
  /// The mistakes one by one: what was reported together, else this one alone.
  std::vector<InputError> parts() const;

 private:
  struct Details;
  InputError(const std::string& text, std::shared_ptr<const Details> details);
  std::shared_ptr<const Details> details_;  // shared, so that copying never throws
};

/// A programmer's mistake: throws std::logic_error with the sentence. Active in all builds.
void require(bool condition, const char* sentence);

}  // namespace dsim
