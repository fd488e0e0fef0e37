#include "model/simulate/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "model/simulate/values.h"
#include "model/workload/model.h"
#include "sim/base/error.h"
#include "sim/base/registry.h"
#include "sim/base/spelling.h"

namespace dsim {
namespace {

constexpr std::int64_t most_gpus = 1'000'000;
constexpr std::int64_t largest_batch = 1'000'000;
constexpr std::int64_t largest_global_batch = 1'000'000'000;
constexpr std::int64_t longest_sequence = 10'000'000;

Job& job(ExperimentDraft& draft) { return draft.experiment.jobs.front(); }

/// The value of a word in a small table; InputError lists the words.
template <class Value, std::size_t n>
Value choose(std::string_view what, std::string_view word,
             const std::array<std::pair<std::string_view, Value>, n>& table) {
  std::vector<std::string_view> known;
  for (const auto& [name, value] : table) {
    if (name == word) return value;
    known.push_back(name);
  }
  throw InputError(unknown_name(what, word, known));
}

constexpr std::array fusions{std::pair<std::string_view, Fusion>{"eager", Fusion::eager},
                             std::pair<std::string_view, Fusion>{"jit", Fusion::jit},
                             std::pair<std::string_view, Fusion>{"compile", Fusion::compile}};
constexpr std::array strategies{std::pair<std::string_view, int>{"ddp", 0}};
constexpr std::array compressions{
    std::pair<std::string_view, Compression>{"none", Compression::none},
    std::pair<std::string_view, Compression>{"fp16", Compression::fp16},
    std::pair<std::string_view, Compression>{"bf16", Compression::bf16}};
constexpr std::array fidelities{std::pair<std::string_view, Fidelity>{"steps", Fidelity::steps},
                                std::pair<std::string_view, Fidelity>{"fluid", Fidelity::fluid},
                                std::pair<std::string_view, Fidelity>{"closed", Fidelity::closed}};
constexpr std::array routings{
    std::pair<std::string_view, Routing>{"rail_aligned", Routing::rail_aligned},
    std::pair<std::string_view, Routing>{"spray", Routing::spray},
    std::pair<std::string_view, Routing>{"hash", Routing::hash}};

using Draft = ExperimentDraft;
using Text = std::string_view;

void set_fusion(Draft& draft, Fusion fusion) {
  if (draft.fusion && *draft.fusion != fusion)
    throw InputError("--compile and --fusion contradict each other (give one of the two)");
  draft.fusion = fusion;
}

const std::array rows{
    Setting{"topology", "What", "FILE",
            "cluster: a file, or a shipped one by name (dsim list topologies)", false,
            [](Draft& d, Text t) { d.topology = t; }},
    Setting{"model", "What", "NAME", "network to train (dsim list models); default bert-large",
            false,
            [](Draft& d, Text t) {
              model_kind(t);
              job(d).model = t;
            }},
    Setting{"gpus", "What", "N", "use the first N GPUs; default all of the topology", false,
            [](Draft& d, Text t) { d.gpus = parse_whole("--gpus", t, 1, most_gpus); }},
    Setting{"nodes", "What", "N", "use the first N nodes", false,
            [](Draft& d, Text t) { d.nodes = parse_whole("--nodes", t, 1, most_gpus); }},
    Setting{"micro-batch", "What", "N", "samples a GPU and pass; default: the model's", false,
            [](Draft& d, Text t) {
              job(d).micro_batch = parse_whole("--micro-batch", t, 1, largest_batch);
            }},
    Setting{"global-batch", "What", "N",
            "samples a step over all GPUs; the rest of the product is accumulated", false,
            [](Draft& d, Text t) {
              d.global_batch = parse_whole("--global-batch", t, 1, largest_global_batch);
            }},
    Setting{
        "seq", "What", "N", "tokens a sequence; default: the model's", false,
        [](Draft& d, Text t) { job(d).sequence = parse_whole("--seq", t, 1, longest_sequence); }},
    Setting{"precision", "What", "NAME",
            "fp32, tf32, fp16, bf16 or fp8; default bf16, or fp16 where the GPU has no bf16", false,
            [](Draft& d, Text t) {
              job(d).precision = precision_from(t);
              job(d).precision_given = true;
            }},
    Setting{"optimizer", "What", "NAME", "dsim list optimizers; default: the model's", false,
            [](Draft& d, Text t) {
              optimizer_kind(t);
              job(d).optimizer = t;
            }},
    Setting{"fusion", "What", "NAME",
            "elementwise work: eager (default), jit (fused by hand, as in Apex) or compile", false,
            [](Draft& d, Text t) { set_fusion(d, choose("fusion", t, fusions)); }},
    Setting{"compile", "What", "", "torch.compile; the same as --fusion compile", false,
            [](Draft& d, Text) { set_fusion(d, Fusion::compile); }},
    Setting{"attention", "What", "NAME",
            "flash1, flash2, flash3, cudnn or unfused; default: the fastest of the GPU", false,
            [](Draft& d, Text t) { job(d).attention = attention_kernel_from(t); }},

    Setting{"strategy", "How", "NAME", "ddp (PyTorch DistributedDataParallel, default)", false,
            [](Draft&, Text t) { choose("strategy", t, strategies); }},
    Setting{
        "accumulate", "How", "N",
        "micro-batches a step, all but the last under no_sync(); default 1", false,
        [](Draft& d, Text t) { d.accumulate = parse_whole("--accumulate", t, 1, largest_batch); }},
    Setting{"bucket-cap", "How", "SIZE", "gradient bucket size, bucket_cap_mb; default \"25 MiB\"",
            false, [](Draft& d, Text t) { job(d).training.ddp.bucket_cap = parse_size("--bucket-cap", t); }},
    Setting{"first-bucket", "How", "SIZE", "size of the first bucket; default \"1 MiB\"", false,
            [](Draft& d, Text t) { job(d).training.ddp.first_bucket = parse_size("--first-bucket", t); }},
    Setting{"gradient-as-bucket-view", "How", "", "gradients live in the buckets: no copies", false,
            [](Draft& d, Text) { job(d).training.ddp.gradient_as_bucket_view = true; }},
    Setting{"no-broadcast-buffers", "How", "",
            "no broadcast of BatchNorm statistics before forward", false,
            [](Draft& d, Text) { job(d).training.ddp.broadcast_buffers = false; }},
    Setting{"first-iteration", "How", "",
            "the step before DDP rebuilds its buckets, not the steady one", false,
            [](Draft& d, Text) { job(d).training.ddp.first_iteration = true; }},
    Setting{
        "compress", "How", "NAME", "gradients on the wire: none (default), fp16 or bf16", false,
        [](Draft& d, Text t) { job(d).training.ddp.compression = choose("compression", t, compressions); }},
    Setting{"straggler", "How", "RANK=1.2x",
            "this rank computes 1.2 times as long; may be repeated", true,
            [](Draft& d, Text t) {
              const RankFactor slow = parse_rank_factor("--straggler", t);
              for (const Straggler& other : d.experiment.stragglers)
                if (other.rank == slow.rank)
                  throw InputError(fmt::format("--straggler names rank {} twice", slow.rank));
              d.experiment.stragglers.push_back({slow.rank, slow.factor});
            }},

    Setting{"algorithm", "Network", "NAME",
            "collective algorithm (dsim list algorithms); default: chosen by size and topology",
            false, [](Draft& d, Text t) { d.experiment.algorithm = t; }},
    Setting{"protocol", "Network", "NAME",
            "NCCL's protocol: LL, LL128 or Simple; default: chosen by size and topology", false,
            [](Draft& d, Text t) { d.experiment.protocol = protocol_by_name(t); }},
    Setting{"nccl", "Network", "KEY=VALUE",
            "an environment variable of NCCL (dsim list nccl); may be repeated", true,
            [](Draft& d, Text t) { d.nccl.emplace_back(t); }},
    Setting{"nccl-version", "Network", "X.Y.Z", "release of NCCL, 2.7 to 2.30; default 2.27.3", false,
            [](Draft& d, Text t) { d.nccl_version = t; }},
    Setting{"routing", "Network", "NAME", "rail_aligned, spray or hash; default: the fabric's",
            false, [](Draft& d, Text t) { d.experiment.routing = choose("routing", t, routings); }},
    Setting{"fidelity", "Network", "NAME",
            "steps (every chunk), fluid (default) or closed (formulas, no contention)", false,
            [](Draft& d, Text t) { d.experiment.fidelity = choose("fidelity", t, fidelities); }},
    Setting{"seed", "Network", "N", "seed of everything random; default 1", false,
            [](Draft& d, Text t) {
              d.experiment.seed = static_cast<std::uint64_t>(
                  parse_whole("--seed", t, 0, std::numeric_limits<std::int64_t>::max()));
            }},
};

}  // namespace

std::vector<const Setting*> settings() {
  std::vector<const Setting*> result;
  for (const Setting& row : rows) result.push_back(&row);
  return result;
}

const Setting& setting(std::string_view name) {
  return Registry<Setting>("setting", settings()).at(name);
}

}  // namespace dsim
