// A model by name or of a file.
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

#include "model/workload/layer_file.h"
#include "model/workload/model.h"
#include "model/workload/transformer/hf_config.h"
#include "sim/base/json.h"

namespace dsim {
namespace {

namespace fs = std::filesystem;

/// The file a text names: itself, or the config.json of a folder; empty if it names none.
fs::path file_of(std::string_view text) {
  const fs::path path(text);
  std::error_code error;
  if (fs::is_directory(path, error)) {
    const fs::path config = path / "config.json";
    return fs::exists(config, error) || text.find('/') != std::string_view::npos ? config
                                                                                 : fs::path();
  }
  if (path.extension() == ".json" || fs::exists(path, error)) return path;
  return {};
}

/// "config.json" alone says nothing: then the folder's name.
std::string name_of_file(const fs::path& path) {
  if (path.stem() == "config" && path.has_parent_path()) {
    const fs::path folder = fs::absolute(path).lexically_normal().parent_path();
    if (!folder.filename().empty()) return folder.filename().string();
  }
  return path.stem().string();
}

bool is_layer_file(const json::Value& root) {
  if (root.kind() != json::Kind::object) return false;
  for (const auto& [key, value] : root.members())
    if (key == "format") return true;
  return false;
}

const ModelKind* named(std::string_view name) {
  try {
    return &model_kind(name);
  } catch (const InputError&) {
    return nullptr;
  }
}

}  // namespace

std::shared_ptr<const ModelKind> find_model(std::string_view name_or_file) {
  if (const ModelKind* kind = named(name_or_file))
    return {std::shared_ptr<const ModelKind>{}, kind};
  const fs::path path = file_of(name_or_file);
  if (path.empty()) model_kind(name_or_file);  // throws with the nearest name
  const json::Document document = json::Document::load(path);
  const json::Value root = document.root();
  if (is_layer_file(root)) return layer_model(root);
  return hf_model(root, name_of_file(path));
}

}  // namespace dsim
