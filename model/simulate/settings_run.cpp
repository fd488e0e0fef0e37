// What happens to real jobs: input, jitter, placement, failures, money.
#include "model/simulate/settings_rows.h"
#include "sim/base/quantity.h"

namespace dsim {
namespace {

using namespace setting_values;
using Draft = ExperimentDraft;
using Text = std::string_view;

CampaignOptions& campaign(Draft& draft) { return draft.experiment.campaign; }

constexpr double largest = 1e18;

const std::array rows{
    Setting{"input-rate", "Run", "N", "samples/s that the data loader of a GPU gives; default no limit",
            false,
            [](Draft& d, Text t) { job(d).input_rate = parse_number("--input-rate", t, 1e-9, largest); }},
    Setting{"jitter", "Run", "X",
            "relative spread of a rank's compute time from step to step, drawn with --seed; "
            "0.02 = 2 %",
            false,
            [](Draft& d, Text t) { d.experiment.jitter = parse_number("--jitter", t, 0, 1); }},
    Setting{"placement", "Run", "NAME",
            "packed (default), scattered (round robin over all nodes) or random (--seed)", false,
            [](Draft& d, Text t) {
              constexpr std::array placements{
                  std::pair<std::string_view, Placement>{"packed", Placement::packed},
                  std::pair<std::string_view, Placement>{"scattered", Placement::scattered},
                  std::pair<std::string_view, Placement>{"random", Placement::random}};
              d.placement = choose("placement", t, placements);
            }},
    Setting{"tokens", "Run", "N", "tokens to train on: time, GPU-hours", false,
            [](Draft& d, Text t) { campaign(d).tokens = parse_number("--tokens", t, 1, largest); }},
    Setting{"samples", "Run", "N", "samples to train on: time, GPU-hours", false,
            [](Draft& d, Text t) { campaign(d).samples = parse_number("--samples", t, 1, largest); }},
    Setting{"dataset", "Run", "N", "samples of an epoch: its time and DistributedSampler's padding",
            false,
            [](Draft& d, Text t) { campaign(d).dataset = parse_number("--dataset", t, 1, largest); }},
    Setting{"mtbf", "Run", "TIME", "mean time between failures of a node, such as \"2000 h\"", false,
            [](Draft& d, Text t) { campaign(d).mtbf_node_seconds = parse_duration("--mtbf", t); }},
    Setting{"checkpoint-every", "Run", "TIME", "work between checkpoints; default: the best", false,
            [](Draft& d, Text t) {
              campaign(d).checkpoint_every_seconds = parse_duration("--checkpoint-every", t);
            }},
    Setting{"checkpoint-time", "Run", "TIME", "the job stands still so long for a checkpoint", false,
            [](Draft& d, Text t) {
              campaign(d).checkpoint_seconds = parse_duration("--checkpoint-time", t);
            }},
    Setting{"storage-bandwidth", "Run", "RATE",
            "at which all ranks write a checkpoint together, such as \"100 GB/s\"", false,
            [](Draft& d, Text t) {
              const auto rate = parse_bandwidth(t);
              if (!rate || rate->bytes_per_second <= 0)
                throw InputError(fmt::format(
                    "--storage-bandwidth '{}' is not a rate with its unit, such as '100 GB/s'", t));
              campaign(d).storage_bandwidth = rate->bytes_per_second;
            }},
    Setting{"restart-time", "Run", "TIME", "from a failure to the first step again", false,
            [](Draft& d, Text t) {
              campaign(d).restart_seconds = parse_duration("--restart-time", t);
            }},
    Setting{"price", "Run", "X", "of a GPU-hour", false,
            [](Draft& d, Text t) {
              campaign(d).price_gpu_hour = parse_number("--price", t, 0, largest);
            }},
    Setting{"watts", "Run", "X", "of a GPU with its share of the node and cooling", false,
            [](Draft& d, Text t) { campaign(d).gpu_watts = parse_number("--watts", t, 0, largest); }},
};

}  // namespace

std::span<const Setting> run_settings() { return rows; }

}  // namespace dsim
