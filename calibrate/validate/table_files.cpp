#include "calibrate/validate/table_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "sim/base/data_files.h"
#include "sim/base/spelling.h"

namespace dsim {
namespace {

bool is_table(const std::filesystem::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".csv" || extension == ".CSV" || extension == ".tsv" || extension == ".TSV";
}

std::vector<std::filesystem::path> table_paths(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::directory_iterator entries(folder, error);
  if (error) throw InputError(fmt::format("{}: {}", folder.string(), error.message()));
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : entries)
    if (is_table(entry.path())) paths.push_back(entry.path());
  std::ranges::sort(paths);
  if (paths.empty())
    throw InputError(fmt::format("{}: no table (.csv, .tsv) in this folder", folder.string()));
  return paths;
}

void check_sources(const std::vector<std::string>& sources,
                   const std::vector<std::filesystem::path>& paths) {
  std::vector<std::string> names;
  for (const auto& path : paths) names.push_back(path.stem().string());
  const std::vector<std::string_view> known(names.begin(), names.end());
  for (const std::string& source : sources)
    if (std::ranges::find(names, source) == names.end())
      throw InputError(unknown_name("source", source, known));
}

}  // namespace

std::filesystem::path default_measurements(std::string_view kind) {
  if (const char* folder = std::getenv("DSIM_REFERENCE_DATA"); folder != nullptr && *folder != '\0')
    return std::filesystem::path(folder) / kind;
  const auto installed = data_directory() / "validation" / kind;
  std::error_code error;
  if (std::filesystem::is_directory(installed, error)) return installed;
  return data_directory() / "calibrate/validate/data" / kind;
}

std::vector<std::filesystem::path> default_collective_tables() {
  if (const char* folder = std::getenv("DSIM_REFERENCE_DATA");
      folder != nullptr && *folder != '\0') {
    const std::filesystem::path root(folder);
    return {root / "nccl-tests", root / "nccl-aic"};
  }
  return {default_measurements("collectives")};
}

std::vector<CsvTable> load_tables(const std::vector<std::filesystem::path>& places,
                                  const std::vector<std::string>& sources) {
  std::vector<std::filesystem::path> paths;
  for (const auto& place : places) {
    std::error_code error;
    if (!std::filesystem::is_directory(place, error)) {
      paths.push_back(place);
      continue;
    }
    const auto found = table_paths(place);
    paths.insert(paths.end(), found.begin(), found.end());
  }
  check_sources(sources, paths);
  std::vector<CsvTable> tables;
  for (const auto& path : paths)
    if (sources.empty() || std::ranges::find(sources, path.stem().string()) != sources.end())
      tables.push_back(CsvTable::load(path));
  return tables;
}

std::vector<CsvTable> load_tables(const std::filesystem::path& place,
                                  const std::vector<std::string>& sources) {
  return load_tables(std::vector{place}, sources);
}

}  // namespace dsim
