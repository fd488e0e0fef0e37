// Horovod's knobs.
#include "model/simulate/settings_rows.h"
#include "sim/base/quantity.h"

namespace dsim {
namespace {

using namespace setting_values;
using Draft = ExperimentDraft;
using Text = std::string_view;

constexpr std::array controls{std::pair<std::string_view, ControlPlane>{"mpi", ControlPlane::mpi},
                              std::pair<std::string_view, ControlPlane>{"gloo", ControlPlane::gloo}};

HorovodOptions& horovod(Draft& draft) { return training(draft).horovod; }

const std::array rows{
    Setting{"fusion-threshold", "Horovod", "SIZE",
            "fusion buffer, HOROVOD_FUSION_THRESHOLD; \"0 B\" = no fusion; default \"128 MiB\"", false,
            [](Draft& d, Text t) {
              horovod(d).fusion_threshold =
                  t == "0" || t == "0 B" ? Bytes{0} : parse_size("--fusion-threshold", t);
            }},
    Setting{"cycle-time", "Horovod", "TIME",
            "cycle of the background thread, HOROVOD_CYCLE_TIME; default \"1 ms\"", false,
            [](Draft& d, Text t) {
              const auto time = parse_time(t);
              if (!time || time->seconds() < 0 || time->seconds() > 60)
                throw InputError(fmt::format(
                    "--cycle-time '{}' is not a time from 0 to 60 s with its unit, such as '1 ms'",
                    t));
              horovod(d).cycle_seconds = time->seconds();
            }},
    Setting{"no-response-cache", "Horovod", "", "negotiate every tensor in every step", false,
            [](Draft& d, Text) { horovod(d).response_cache = false; }},
    Setting{"control-plane", "Horovod", "NAME", "negotiation over mpi (default) or gloo", false,
            [](Draft& d, Text t) { horovod(d).control = choose("control plane", t, controls); }},
    Setting{"hierarchical", "Horovod", "",
            "NCCL inside nodes, MPI between them, HOROVOD_HIERARCHICAL_ALLREDUCE", false,
            [](Draft& d, Text) { horovod(d).hierarchical = true; }},
    Setting{"backward-passes", "Horovod", "N",
            "backward_passes_per_step of DistributedOptimizer; default: as --accumulate", false,
            [](Draft& d, Text t) {
              horovod(d).backward_passes_per_step =
                  parse_whole("--backward-passes", t, 1, largest_batch);
            }},
    Setting{"adasum", "Horovod", "", "Adasum instead of the average", false,
            [](Draft& d, Text) { horovod(d).adasum = true; }},
    Setting{"gradient-groups", "Horovod", "N", "groups of DistributedOptimizer; default none", false,
            [](Draft& d, Text t) {
              horovod(d).groups = parse_whole("--gradient-groups", t, 1, largest_batch);
            }},
    Setting{"horovod-version", "Horovod", "X.Y.Z",
            "release; before 0.21 a cycle is 5 ms and the threshold 64 MiB; default 0.28.1", false,
            [](Draft& d, Text t) { d.horovod_version = t; }},
};

}  // namespace

std::span<const Setting> horovod_settings() { return rows; }

}  // namespace dsim
