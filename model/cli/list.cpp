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
#include "model/collective/nccl/settings.h"
#include "model/collective/protocol.h"
#include "model/compute/gpu_aliases.h"
#include "model/simulate/text_layout.h"
#include "model/strategy/ddp.h"
#include "model/workload/model_aliases.h"
#include "sim/base/data_files.h"
#include "sim/base/error.h"
#include "sim/base/json.h"
#include "sim/base/quantity.h"
#include "sim/base/spelling.h"
#include "sim/network/fabric.h"
#include "sim/network/node_type_file.h"
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

/// The shipped ones in a folder, by name.
std::vector<std::filesystem::path> json_files(std::string_view folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& file : std::filesystem::directory_iterator(data_directory() / folder, error))
    if (file.path().extension() == ".json") files.push_back(file.path());
  std::sort(files.begin(), files.end());
  return files;
}

Entries topology_entries() {
  Entries entries;
  for (const auto& file : json_files("topologies")) {
    const auto topology = load_topology(file);
    entries.emplace_back(
        file.stem().string(),
        fmt::format("{} GPUs: {}", format_count(static_cast<double>(topology->gpu_count())),
                    topology->description()));
  }
  return entries;
}

Entries node_entries() {
  Entries entries;
  for (const auto& file : json_files("topologies/nodes")) {
    const json::Document document = json::Document::load(file);
    NodeType type = read_node_type(document.root());
    prepare_or_fail(type, document.root());
    entries.emplace_back(
        file.stem().string(),
        fmt::format("{}: {} × {}, {}{}", type.title, type.gpus.size(), type.gpu_model,
                    type.gpu_links.empty() ? "no links among GPUs" : type.gpu_links,
                    type.nics.empty() ? ""
                                      : fmt::format(", {} × {} {}", type.nics.size(),
                                                    format_bandwidth_bits(type.nic_spec.bandwidth),
                                                    name_of(type.nic_spec.kind))));
  }
  return entries;
}

Entries fabric_entries() {
  Entries entries;
  const Registry<FabricKind> kinds = fabric_kinds();
  for (const FabricKind* kind : kinds.rows()) entries.emplace_back(kind->name, kind->help);
  return entries;
}

Entries optimizer_entries() {
  Entries entries;
  for (const OptimizerKind* kind : optimizer_kinds()) entries.emplace_back(kind->name, kind->help);
  return entries;
}

/// "all_reduce, barrier", or "any operation".
std::string operations_of(const Algorithm& algorithm) {
  std::string text;
  std::size_t able = 0;
  for (const CollectiveOp op : all_collectives()) {
    if (!algorithm.supports(op)) continue;
    ++able;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", name_of(op));
  }
  return able == all_collectives().size() ? "any operation" : text;
}

Entries algorithm_entries() {
  Entries entries;
  for (const Algorithm* algorithm : algorithms())
    entries.emplace_back(algorithm->name,
                         fmt::format("{} [{}]", algorithm->help, operations_of(*algorithm)));
  return entries;
}

Entries protocol_entries() {
  return {{std::string(name_of(Protocol::ll)), "8 B of data with 8 B of flags: least latency"},
          {std::string(name_of(Protocol::ll128)), "120 B of data with 8 B of flag"},
          {std::string(name_of(Protocol::simple)), "chunks of data and counters: most bandwidth"}};
}

Entries nccl_entries() {
  Entries entries;
  for (const auto& [key, help] : nccl_keys()) entries.emplace_back(key, help);
  return entries;
}

struct List {
  std::string_view name, title;
  Entries (*entries)();
};
constexpr std::array<List, 9> lists{
    {{"models", "Models (--model)", model_entries},
     {"topologies", "Topologies (--topology)", topology_entries},
     {"nodes", "Node types (\"node\" in topology files)", node_entries},
     {"fabrics", "Fabrics (\"fabric\" in topology files)", fabric_entries},
     {"gpus", "GPUs (in topology files)", gpu_entries},
     {"optimizers", "Optimizers (--optimizer)", optimizer_entries},
     {"algorithms", "Collective algorithms (--algorithm) [operations]", algorithm_entries},
     {"protocols", "NCCL's protocols (--protocol)", protocol_entries},
     {"nccl", "NCCL's variables (--nccl KEY=VALUE)", nccl_entries}}};

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
  CLI::App* command =
      app.add_subcommand("list", "what can be named: models, topologies, algorithms, ...");
  const auto name = std::make_shared<std::string>();
  command->add_option("WHAT", *name,
                      "models, topologies, nodes, fabrics, gpus, optimizers, algorithms, protocols "
                      "or nccl; default: all");
  command->callback([name] { run_list(*name); });
}

}  // namespace dsim
