// Collectives, routing and fidelity.
#include <string>

#include "model/simulate/settings_rows.h"

namespace dsim {
namespace {

using namespace setting_values;
using Draft = ExperimentDraft;
using Text = std::string_view;

constexpr std::array fidelities{std::pair<std::string_view, Fidelity>{"steps", Fidelity::steps},
                                std::pair<std::string_view, Fidelity>{"fluid", Fidelity::fluid},
                                std::pair<std::string_view, Fidelity>{"closed", Fidelity::closed}};
constexpr std::array routings{
    std::pair<std::string_view, Routing>{"rail_aligned", Routing::rail_aligned},
    std::pair<std::string_view, Routing>{"spray", Routing::spray},
    std::pair<std::string_view, Routing>{"hash", Routing::hash}};

const std::array rows{
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

std::span<const Setting> network_settings() { return rows; }

}  // namespace dsim
