#include "tests/support/reference_data.h"

#include <cstdlib>
#include <stdexcept>

namespace dsim::test {

std::optional<std::filesystem::path> reference_data() {
  const char* folder = std::getenv("DSIM_REFERENCE_DATA");
  if (folder == nullptr || *folder == '\0') return std::nullopt;
  if (!std::filesystem::is_directory(folder))
    throw std::runtime_error("DSIM_REFERENCE_DATA does not name a folder: " + std::string(folder));
  return folder;
}

}  // namespace dsim::test
