#include "model/cli/collective_flags.h"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <array>
#include <cctype>

#include "model/collective/custom_program.h"
#include "model/collective/report/collective_report.h"
#include "model/collective/report/ranks.h"
#include "model/collective/report/sizes.h"
#include "model/simulate/values.h"
#include "sim/base/error.h"
#include "sim/base/spelling.h"

namespace dsim {
namespace {

constexpr std::string_view default_sizes = "8:8G:2";
constexpr std::string_view custom = "custom";  // the algorithm that runs a program
constexpr std::int64_t most_channels = 1024;

/// The one of `values` whose name_of is `word`. InputError lists them.
template <class Value, std::size_t n>
Value value_named(std::string_view what, std::string_view word,
                  const std::array<Value, n>& values) {
  std::vector<std::string_view> known;
  for (const Value value : values) {
    if (name_of(value) == word) return value;
    known.push_back(name_of(value));
  }
  throw InputError(unknown_name(what, word, known));
}

std::string plain(std::string_view name) {
  std::string result;
  for (const char c : name)
    if (c != '_' && c != '-')
      result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

/// The first `per_node` GPUs of each of the first `nodes` nodes; empty if there are not as many.
std::vector<GpuId> packed(const Topology& topology, std::int64_t nodes, std::int64_t per_node) {
  std::vector<GpuId> gpus;
  for (std::size_t g = 0; g < topology.gpu_count(); ++g)
    if (static_cast<std::int64_t>(topology.node_of(GpuId{g})) < nodes &&
        static_cast<std::int64_t>(topology.local_index(GpuId{g})) < per_node)
      gpus.emplace_back(g);
  if (static_cast<std::int64_t>(gpus.size()) != nodes * per_node) gpus.clear();
  return gpus;
}

/// The ranks of a measured run on this topology; empty if they do not fit it or nobody knows.
std::vector<GpuId> ranks_of(const MeasuredFacts& facts, const Topology& topology) {
  if (!facts.ranks || *facts.ranks < 2) return {};
  const auto fullest = static_cast<std::int64_t>(topology.gpus_per_node());
  const std::int64_t nodes = facts.nodes.value_or(
      facts.gpus_per_node ? *facts.ranks / std::max<std::int64_t>(1, *facts.gpus_per_node)
                          : (*facts.ranks + fullest - 1) / fullest);
  if (nodes < 1 || *facts.ranks % nodes != 0) return {};
  return packed(topology, nodes, *facts.ranks / nodes);
}

const MeasuredTable* first_of(const std::vector<MeasuredTable>& measured) {
  return measured.empty() ? nullptr : &measured.front();
}

}  // namespace

std::string algorithm_for(std::string_view name, CollectiveOp op) {
  for (const Algorithm* algorithm : algorithms()) {
    if (plain(algorithm->name) != plain(name)) continue;
    if (algorithm->supports(op)) return std::string(algorithm->name);
    std::string able;
    for (const Algorithm* other : algorithms())
      if (other->supports(op)) able += fmt::format("{}{}", able.empty() ? "" : ", ", other->name);
    throw InputError(fmt::format("{} cannot {} ({} can)", algorithm->name, name_of(op),
                                 able.empty() ? "no algorithm" : able));
  }
  return std::string(algorithm_by_name(name).name);  // throws, with the nearest
}

CollectiveFlags::CollectiveFlags(CLI::App& command) {
  command.footer(
      "algbw is size / time; busbw is algbw times 2(n-1)/n (all_reduce), (n-1)/n (all_gather, "
      "reduce_scatter, all_to_all, gather, scatter) or 1 (the others), as in nccl-tests. GB/s are "
      "1e9 B/s. GPUs and ranks count from 0. docs/collective-command.md says more.");
  const auto option = [&](const char* flag, auto& value, std::string_view type,
                          std::string_view group, const std::string& help) {
    return command.add_option(flag, value, help)
        ->type_name(std::string(type))
        ->group(std::string(group));
  };
  option("--topology", topology_, "FILE", "What",
         "cluster: a file, or a shipped one by name (dsim list topologies)")
      ->required();
  option(
      "--op", op_, "NAME", "What",
      "all_reduce (default), all_gather, reduce_scatter, broadcast, reduce, all_to_all, sendrecv, "
      "gather, scatter or barrier");
  option("--sizes", sizes_, "LIST", "What",
         "8:16G:2 (from, to, factor), 1M:9M:+1M (step), 64K, or several with commas; K, M, G are "
         "powers of 1024, as in nccl-tests; default 8:8G:2");
  option("--dtype", type_, "NAME", "What",
         "element type, as in nccl-tests: float (default), half, bfloat16, int8, ...");
  option("--root", root_, "RANK", "What",
         "rank that sends (broadcast, scatter) or receives (reduce, gather); default 0");
  option("--ranks", ranks_, "LIST", "What",
         "GPUs of the communicator in rank order: 0-7, 0,8,16, 0-63:8 (every eighth), 3,1,0,2; "
         "default all");
  option("--gpus", gpus_, "N", "What", "the first N GPUs");
  option("--nodes", nodes_, "N", "What", "the first N nodes");
  option("--backend", backend_, "NAME", "Network",
         "library that runs it: nccl (default), gloo or mpi (host memory)");
  option("--algorithm", algorithm_, "NAME", "Network",
         "this one, not what the back end chooses (dsim list algorithms)");
  option("--program", program_, "FILE", "Network",
         "an algorithm of your own: MSCCL XML, or JSON (docs/algorithms.md)");
  option("--protocol", protocol_, "NAME", "Network", "LL, LL128 or Simple, not what NCCL chooses");
  option("--channels", channels_, "N", "Network", "at most N channels");
  option("--nccl", nccl_, "KEY=VALUE", "Network",
         "a variable of NCCL's environment, such as NCCL_ALGO=Tree (dsim list nccl); may be "
         "repeated")
      ->allow_extra_args(false);
  option("--nccl-version", version_, "V", "Network",
         "release of NCCL, 2.7 to 2.30; default 2.27.3");
  option("--fidelity", fidelity_, "NAME", "Network",
         "steps (every chunk), fluid (default) or closed (formulas, no contention)");
  option("--routing", routing_, "NAME", "Network",
         "rail_aligned, spray or hash; default: the fabric's");
}

void CollectiveFlags::set_ranks(CollectiveSetup& setup, const MeasuredTable* measured) const {
  const Topology& topology = *setup.topology;
  const auto all = static_cast<std::int64_t>(topology.gpu_count());
  const int given = !gpus_.empty() + !nodes_.empty() + !ranks_.empty();
  if (given > 1)
    throw InputError("--ranks, --gpus and --nodes contradict each other (give one of them)");
  if (!ranks_.empty()) {
    setup.ranks = parse_ranks("--ranks", ranks_, topology.gpu_count());
  } else if (!gpus_.empty()) {
    const std::int64_t gpus = parse_whole("--gpus", gpus_, 2, all);
    for (std::int64_t g = 0; g < gpus; ++g) setup.ranks.emplace_back(static_cast<std::size_t>(g));
  } else if (!nodes_.empty()) {
    const std::int64_t nodes =
        parse_whole("--nodes", nodes_, 1, static_cast<std::int64_t>(topology.node_count()));
    for (std::size_t g = 0; g < topology.gpu_count(); ++g)
      if (static_cast<std::int64_t>(topology.node_of(GpuId{g})) < nodes)
        setup.ranks.emplace_back(g);
  } else if (measured) {
    setup.ranks = ranks_of(measured->facts, topology);
  }
  if (setup.ranks.empty())
    for (std::size_t g = 0; g < topology.gpu_count(); ++g) setup.ranks.emplace_back(g);
  if (setup.ranks.size() < 2) throw InputError("a communicator needs two ranks; here is one GPU");
}

void CollectiveFlags::set_query(CollectiveRequestSet& request,
                                const MeasuredTable* measured) const {
  CollectiveQuery& query = request.query;
  if (!op_.empty())
    query.op = collective_by_name(op_);
  else if (measured && !measured->facts.collective.empty())
    query.op = collective_by_name(measured->facts.collective);
  if (!type_.empty())
    query.type = data_type_by_name(type_);
  else if (measured && !measured->rows.front().type.empty())
    query.type = data_type_by_name(measured->rows.front().type);
  if (!root_.empty() && !has_root(query.op))
    throw InputError(fmt::format("--root {}: {} has no root", root_, name_of(query.op)));
  const auto last = static_cast<std::int64_t>(request.setup.ranks.size()) - 1;
  std::int64_t root = 0;
  if (!root_.empty())
    root = parse_whole("--root", root_, 0, last);
  else if (measured && has_root(query.op))
    root = std::clamp<std::int64_t>(measured->rows.front().root.value_or(0), 0, last);
  query.root = static_cast<std::uint32_t>(root);
  if (query.op == CollectiveOp::barrier) {
    if (!sizes_.empty()) throw InputError("--sizes: a barrier has no size");
    request.sizes = {size_of(query.type)};
  } else if (!sizes_.empty()) {
    request.sizes = parse_collective_sizes("--sizes", sizes_);
  } else if (!measured) {
    request.sizes = parse_collective_sizes("--sizes", default_sizes);
  }
}

void CollectiveFlags::set_network(CollectiveRequestSet& request,
                                  const MeasuredTable* measured) const {
  CollectiveSetup& setup = request.setup;
  setup.backend = backend_by_name(backend_);
  const bool nccl = setup.backend == Backend::nccl;
  if (!nccl && (!nccl_.empty() || !version_.empty() || !protocol_.empty()))
    throw InputError(
        fmt::format("--nccl, --nccl-version and --protocol need --backend nccl, not {}", backend_));
  NcclVersion version;
  if (!version_.empty()) {
    version = parse_nccl_version(version_);
  } else if (measured && !measured->facts.nccl_version.empty()) {
    try {
      version = parse_nccl_version(measured->facts.nccl_version);
    } catch (const InputError&) {
      // A version we do not know: the default stays, and the comparison says that they differ.
    }
  }
  setup.nccl = parse_nccl_settings(nccl_, version);
  for (const std::string& pair : nccl_) request.forced.push_back(pair);
  if (!program_.empty()) {
    if (!algorithm_.empty() && algorithm_ != custom)
      throw InputError(
          fmt::format("--program is run by --algorithm {}, not {}", custom, algorithm_));
    setup.custom = std::make_shared<const CustomProgram>(load_custom_program(program_));
    setup.algorithm = custom;
    request.forced.push_back("program " + program_);
  } else if (algorithm_ == custom) {
    throw InputError("--algorithm custom needs --program FILE");
  } else if (!algorithm_.empty()) {
    setup.algorithm = algorithm_for(algorithm_, request.query.op);
    request.forced.push_back("algorithm " + setup.algorithm);
  }
  if (!protocol_.empty()) {
    setup.protocol = protocol_by_name(protocol_);
    request.forced.push_back(fmt::format("protocol {}", name_of(*setup.protocol)));
  }
  if (!channels_.empty()) {
    setup.channels =
        static_cast<std::uint32_t>(parse_whole("--channels", channels_, 1, most_channels));
    request.forced.push_back(fmt::format("at most {} channels", *setup.channels));
  }
  setup.fidelity = value_named("fidelity", fidelity_,
                               std::array{Fidelity::steps, Fidelity::fluid, Fidelity::closed});
  if (!routing_.empty())
    setup.routing = value_named("routing", routing_,
                                std::array{Routing::rail_aligned, Routing::spray, Routing::hash});
}

CollectiveRequestSet CollectiveFlags::request(const std::vector<MeasuredTable>& measured) const {
  CollectiveRequestSet request;
  request.setup.topology = load_topology(topology_);
  const MeasuredTable* first = first_of(measured);
  set_ranks(request.setup, first);
  set_query(request, first);
  set_network(request, first);
  if (request.sizes.empty()) {
    for (const MeasuredTable& table : measured)
      for (const MeasuredRow& row : table.rows)
        if (row.size_bytes <= largest_collective) request.sizes.push_back(Bytes{row.size_bytes});
    std::sort(request.sizes.begin(), request.sizes.end());
    request.sizes.erase(std::unique(request.sizes.begin(), request.sizes.end()),
                        request.sizes.end());
  }
  return request;
}

}  // namespace dsim
