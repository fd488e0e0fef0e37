#include "sim/base/data_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "sim/base/error.h"
#include "sim/base/source_line.h"
#include "sim/base/spelling.h"

namespace dsim {
namespace {

namespace fs = std::filesystem;

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

/// Something that can be opened: a file, a pipe, a device.
bool is_readable_thing(const fs::path& path) {
  std::error_code ignored;
  const auto status = fs::status(path, ignored);
  return fs::exists(status) && !fs::is_directory(status);
}

/// `path` or `path`.json, whichever exists; else empty.
fs::path with_or_without_suffix(const fs::path& path) {
  if (is_readable_thing(path)) return path;
  fs::path suffixed = path;
  suffixed += ".json";
  return is_readable_thing(suffixed) ? suffixed : fs::path();
}

std::vector<std::string> shipped_names(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    if (entry->path().extension() == ".json") names.push_back(entry->path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

fs::path data_directory() {
  if (const char* chosen = std::getenv("DSIM_DATA_DIR"); chosen != nullptr && *chosen != '\0') {
    if (!is_folder(chosen))
      throw InputError(fmt::format("DSIM_DATA_DIR is '{}', which is not a folder", chosen));
    return chosen;
  }
  std::error_code error;
  const fs::path binary = fs::read_symlink("/proc/self/exe", error);
  const fs::path installed = binary.parent_path().parent_path() / "share" / "dsim";
  if (!error && is_folder(installed / "topologies")) return installed;
  const fs::path source = DSIM_SOURCE_DATA_DIR;
  if (is_folder(source / "topologies")) return source;
  throw InputError(
      fmt::format("the data of dsim is not at '{}'; set DSIM_DATA_DIR to the folder that "
                  "holds topologies",
                  installed.string()));
}

fs::path find_data_file(std::string_view name, std::string_view folder) {
  if (name.empty()) throw InputError(fmt::format("the name of a file in {} is empty", folder));
  if (name.find('\0') != std::string_view::npos)
    throw InputError(fmt::format("no file can be named '{}'", excerpt(name, 200)));
  const fs::path given(name);
  if (const fs::path found = with_or_without_suffix(given); !found.empty()) return found;
  const bool literal = name.find('/') != std::string_view::npos;
  if (literal && is_folder(given))
    throw InputError(fmt::format("cannot read '{}': it is a directory", excerpt(name, 200)));
  if (literal) throw InputError(fmt::format("cannot read '{}': no such file", excerpt(name, 200)));

  const fs::path shipped = data_directory() / folder;
  if (const fs::path found = with_or_without_suffix(shipped / given); !found.empty()) return found;
  const std::vector<std::string> names = shipped_names(shipped);
  const std::vector<std::string_view> known(names.begin(), names.end());
  std::string_view stem = name;
  if (stem.ends_with(".json")) stem.remove_suffix(5);
  throw InputError(fmt::format("no file '{}' in the working directory or among the shipped {} {}",
                               excerpt(name, 200), folder, known_names(stem, known)));
}

}  // namespace dsim
