#pragma once
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string>

namespace dsim {

/// A file to be written later, whole or not at all: the text goes to a temporary beside it, which
/// is renamed at the end. What is no regular file (/dev/stdout, a pipe) is written directly.
class OutputFile {
 public:
  /// Checks that the path can be written, so that a long run does not end in a refusal. InputError
  /// names `setting` ("--trace"), the path and the reason.
  OutputFile(std::string setting, std::filesystem::path path);

  /// Calls `write` with the stream, then puts the file in place (an existing one is replaced and
  /// keeps its permissions). std::runtime_error if the disk is full or the rename fails; nothing
  /// is left behind then.
  void write(const std::function<void(std::ostream&)>& write) const;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::string setting_;
  std::filesystem::path path_;
};

}  // namespace dsim
