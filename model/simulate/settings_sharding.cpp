// FSDP and ZeRO.
#include "model/simulate/settings_rows.h"

namespace dsim {
namespace {

using namespace setting_values;
using Draft = ExperimentDraft;
using Text = std::string_view;

constexpr std::int64_t most_elements = 1'000'000'000'000;

const std::array rows{
    Setting{"no-reshard", "Sharding", "",
            "FSDP: parameters stay whole after forward (SHARD_GRAD_OP)", false,
            [](Draft& d, Text) { training(d).fsdp.reshard_after_forward = false; }},
    Setting{"shard-size", "Sharding", "N",
            "FSDP: hybrid, shards over N ranks and replicates over the rest; default: all ranks",
            false, [](Draft& d, Text t) { training(d).fsdp.shard_size = degree("--shard-size", t); }},
    Setting{"reshard-size", "Sharding", "N",
            "FSDP2: after forward shards over N ranks only (reshard_after_forward=N)", false,
            [](Draft& d, Text t) {
              training(d).fsdp.reshard_size = degree("--reshard-size", t);
            }},
    Setting{"blocks-per-unit", "Sharding", "N", "FSDP: blocks wrapped together; default 1", false,
            [](Draft& d, Text t) {
              training(d).fsdp.blocks_per_unit = parse_whole("--blocks-per-unit", t, 1, 100'000);
            }},
    Setting{"forward-prefetch", "Sharding", "", "FSDP1: explicit forward prefetch", false,
            [](Draft& d, Text) { training(d).fsdp.forward_prefetch = true; }},
    Setting{"no-backward-prefetch", "Sharding", "",
            "FSDP: gather a unit when backward comes to it, not before", false,
            [](Draft& d, Text) { training(d).fsdp.backward_prefetch = false; }},
    Setting{"all-gather-limit", "Sharding", "N",
            "FSDP1: all-gathers in flight, limit_all_gathers; 0 = no limit; default 2", false,
            [](Draft& d, Text t) {
              training(d).fsdp.all_gather_limit =
                  static_cast<int>(parse_whole("--all-gather-limit", t, 0, 100'000));
            }},
    Setting{"accumulate-unsharded", "Sharding", "",
            "FSDP: gradients stay whole between micro-batches (no_sync)", false,
            [](Draft& d, Text) { training(d).fsdp.accumulate_unsharded = true; }},
    Setting{"zero-reduce-bucket", "Sharding", "N",
            "ZeRO: elements of a reduce bucket, reduce_bucket_size; default 500000000", false,
            [](Draft& d, Text t) {
              training(d).zero.reduce_bucket_elements =
                  parse_whole("--zero-reduce-bucket", t, 1, most_elements);
            }},
    Setting{"zero-gather-bucket", "Sharding", "N",
            "ZeRO: elements of a gather bucket, allgather_bucket_size; default 500000000", false,
            [](Draft& d, Text t) {
              training(d).zero.gather_bucket_elements =
                  parse_whole("--zero-gather-bucket", t, 1, most_elements);
            }},
    Setting{"zero-prefetch", "Sharding", "N",
            "ZeRO-3: elements gathered ahead, stage3_prefetch_bucket_size; default 50000000", false,
            [](Draft& d, Text t) {
              training(d).zero.prefetch_elements =
                  parse_whole("--zero-prefetch", t, 0, most_elements);
            }},
    Setting{"zero-overlap", "Sharding", "", "ZeRO-1 and -2: overlap_comm", false,
            [](Draft& d, Text) { training(d).zero.overlap = true; }},
    Setting{"offload-optimizer", "Sharding", "", "ZeRO: Adam on the CPU, states in host memory",
            false, [](Draft& d, Text) { training(d).zero.offload_optimizer = true; }},
};

}  // namespace

std::span<const Setting> sharding_settings() { return rows; }

}  // namespace dsim
