#include "model/simulate/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "model/simulate/settings_rows.h"
#include "model/workload/model.h"
#include "sim/base/quantity.h"
#include "sim/base/registry.h"

namespace dsim {
namespace {

constexpr std::int64_t largest_global_batch = 1'000'000'000;
constexpr std::int64_t longest_sequence = 10'000'000;

constexpr std::array fusions{std::pair<std::string_view, Fusion>{"eager", Fusion::eager},
                             std::pair<std::string_view, Fusion>{"jit", Fusion::jit},
                             std::pair<std::string_view, Fusion>{"compile", Fusion::compile}};
constexpr std::array frameworks{
    std::pair<std::string_view, Framework>{"pytorch", Framework::pytorch},
    std::pair<std::string_view, Framework>{"horovod", Framework::horovod}};
constexpr std::array backends{std::pair<std::string_view, CallBackend>{"nccl", CallBackend::nccl},
                              std::pair<std::string_view, CallBackend>{"gloo", CallBackend::gloo},
                              std::pair<std::string_view, CallBackend>{"mpi", CallBackend::mpi}};
constexpr std::array compressions{
    std::pair<std::string_view, Compression>{"none", Compression::none},
    std::pair<std::string_view, Compression>{"fp16", Compression::fp16},
    std::pair<std::string_view, Compression>{"bf16", Compression::bf16}};
using namespace setting_values;
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
    Setting{"model", "What", "NAME", "network to train: a name (dsim list models), a Hugging Face config.json or a layer file; "
            "default bert-large",
            false,
            [](Draft& d, Text t) {
              job(d).kind = find_model(t);
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

    Setting{"recompute", "What", "NAME",
            "activations computed again in backward: none (default), selective, full, or N for "
            "every N-th block",
            false,
            [](Draft& d, Text t) {
              TrainingOptions& options = training(d);
              if (!t.empty() && t.front() >= '0' && t.front() <= '9') {
                options.recompute = Recompute::every_nth;
                options.recompute_every = static_cast<int>(parse_whole("--recompute", t, 1, 100'000));
                return;
              }
              options.recompute = recompute_from(t);
            }},
    Setting{"cuda-graphs", "What", "", "forward and backward replayed from CUDA graphs", false,
            [](Draft& d, Text) { training(d).cuda_graphs = true; }},
    Setting{"launch", "What", "TIME",
            "host time to launch a kernel in forward, backward in proportion; default \"11 us\"",
            false,
            [](Draft& d, Text t) {
              const auto time = parse_time(t);
              if (!time || !(time->seconds() > 0) || time->seconds() > 1)
                throw InputError(fmt::format(
                    "--launch '{}' is not a time up to 1 s with its unit, such as '11 us'", t));
              job(d).launch_seconds = time->seconds();
            }},

    Setting{"strategy", "How", "NAME",
            "ddp (default), dp (DataParallel), fsdp1, fsdp2, zero1, zero2, zero3 or megatron "
            "(default with --tp, --pp, --cp or --ep)",
            false,
            [](Draft& d, Text t) {
              training(d).strategy = strategy_from(t);
              d.strategy_given = true;
            }},
    Setting{"framework", "How", "NAME", "pytorch (default) or horovod", false,
            [](Draft& d, Text t) {
              training(d).framework = choose("framework", t, frameworks);
            }},
    Setting{"backend", "How", "NAME", "collectives by nccl (default), gloo or mpi", false,
            [](Draft& d, Text t) { training(d).backend = choose("back end", t, backends); }},
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
        [](Draft& d, Text t) {
          training(d).ddp.compression = choose("compression", t, compressions);
          training(d).horovod.fp16_compression = training(d).ddp.compression == Compression::fp16;
        }},
    Setting{"straggler", "How", "RANK=1.2x",
            "this rank computes 1.2 times as long; may be repeated", true,
            [](Draft& d, Text t) {
              const RankFactor slow = parse_rank_factor("--straggler", t);
              for (const Straggler& other : d.experiment.stragglers)
                if (other.rank == slow.rank)
                  throw InputError(fmt::format("--straggler names rank {} twice", slow.rank));
              d.experiment.stragglers.push_back({slow.rank, slow.factor});
            }},

};

}  // namespace

std::span<const Setting> what_and_how_settings() { return rows; }

std::vector<const Setting*> settings() {
  std::vector<const Setting*> result;
  for (const auto group : {what_and_how_settings(), parallel_settings(), sharding_settings(),
                           horovod_settings(), run_settings(), network_settings()})
    for (const Setting& row : group) result.push_back(&row);
  return result;
}

const Setting& setting(std::string_view name) {
  return Registry<Setting>("setting", settings()).at(name);
}

}  // namespace dsim
