#pragma once
#include <filesystem>
#include <string_view>

namespace dsim::test {

/// An empty folder that is removed with all it holds at the end of the scope.
class TemporaryFolder {
 public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  const std::filesystem::path& path() const { return path_; }
  /// Writes a file (and the folders above it) and returns its path.
  std::filesystem::path write(const std::filesystem::path& name, std::string_view text) const;

 private:
  std::filesystem::path path_;
};

}  // namespace dsim::test
