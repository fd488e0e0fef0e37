#include <fmt/format.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "model/cli/commands.h"
#include "model/cli/standard_output.h"
#include "model/collective/algorithm.h"
#include "model/compute/gpu_aliases.h"
#include "model/simulate/text_layout.h"
#include "model/strategy/ddp.h"
#include "model/workload/model_aliases.h"
#include "sim/base/data_files.h"
#include "sim/base/error.h"
#include "sim/base/quantity.h"
#include "sim/base/spelling.h"
#include "sim/network/topology.h"

namespace dsim {
namespace {

/// A name and what it stands for.
using Entry = std::pair<std::string, std::string>;
using Entries = std::vector<Entry>;

/// The help, and the other names behind it: "BERT-large pretraining (also bert)".
std::string with_aliases(std::string_view help, const std::vector<std::string_view>& aliases) {
  std::string text(help);
  for (const std::string_view& alias : aliases)
    text += fmt::format("{}{}", &alias == aliases.data() ? " (also " : ", ", alias);
  return aliases.empty() ? text : text + ")";
}

Entries model_entries() {
  Entries entries;
  for (const ModelKind* kind : model_kinds())
    entries.emplace_back(kind->name, with_aliases(kind->help, aliases_of(*kind)));
  return entries;
}

Entries gpu_entries() {
  Entries entries;
  for (const Gpu* gpu : gpus())
    entries.emplace_back(
        gpu->name,
        with_aliases(
            fmt::format("{}: {} SMs, {} FLOP/s dense {}, {}, {}", gpu->title, gpu->sms,
                        format_si(gpu->bf16 > 0 ? gpu->bf16 : gpu->fp16),
                        gpu->bf16 > 0 ? "bf16" : "fp16", format_binary_bytes(gpu->hbm_bytes),
                        format_bandwidth_bytes(Bandwidth{gpu->hbm_bandwidth})),
            aliases_of(*gpu)));
  return entries;
}

Entries topology_entries() {
  namespace fs = std::filesystem;
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& file : fs::directory_iterator(data_directory() / "topologies", error))
    if (file.path().extension() == ".json") files.push_back(file.path());
  std::sort(files.begin(), files.end());
  Entries entries;
  for (const fs::path& file : files) {
    const auto topology = load_topology(file);
    entries.emplace_back(
        file.stem().string(),
        fmt::format("{} GPUs: {}", format_count(static_cast<double>(topology->gpu_count())),
                    topology->description()));
  }
  return entries;
}

Entries optimizer_entries() {
  Entries entries;
  for (const OptimizerKind* kind : optimizer_kinds()) entries.emplace_back(kind->name, kind->help);
  return entries;
}

Entries algorithm_entries() {
  Entries entries;
  for (const Algorithm* algorithm : algorithms())
    entries.emplace_back(algorithm->name, algorithm->help);
  return entries;
}

struct List {
  std::string_view name, title;
  Entries (*entries)();
};
constexpr std::array<List, 5> lists{
    {{"models", "Models (--model)", model_entries},
     {"topologies", "Topologies (--topology)", topology_entries},
     {"gpus", "GPUs (in topology files)", gpu_entries},
     {"optimizers", "Optimizers (--optimizer)", optimizer_entries},
     {"algorithms", "Collective algorithms (--algorithm)", algorithm_entries}}};

void print_list(const List& list) {
  const Entries entries = list.entries();
  std::size_t widest = 0;
  for (const Entry& entry : entries) widest = std::max(widest, display_width(entry.first));
  print(fmt::format("{}\n", list.title));
  for (const Entry& entry : entries)
    for (const std::string& line :
         wrap_text("  " + pad_right(entry.first, widest + 2), entry.second, 80))
      print(line + '\n');
}

void run_list(const std::string& name) {
  if (name.empty()) {
    for (const List& list : lists) {
      if (&list != lists.data()) print("\n");
      print_list(list);
    }
    return;
  }
  std::vector<std::string_view> known;
  for (const List& list : lists) {
    if (list.name == name) return print_list(list);
    known.push_back(list.name);
  }
  throw InputError(unknown_name("list", name, known));
}

}  // namespace

void add_list_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "list", "what can be named: models, topologies, gpus, optimizers, algorithms");
  const auto name = std::make_shared<std::string>();
  command->add_option("WHAT", *name,
                      "models, topologies, gpus, optimizers or algorithms; default: all");
  command->callback([name] { run_list(*name); });
}

}  // namespace dsim
