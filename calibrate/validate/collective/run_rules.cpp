#include "calibrate/validate/collective/run_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "calibrate/validate/text_pattern.h"
#include "sim/base/error.h"

namespace dsim {
namespace {

constexpr int months_until_used = 6;

/// Months since year 0 of the first "2023-03" or "2023" in a text; 0 without.
int month_of(std::string_view date) {
  static const std::regex pattern(R"((20[0-9][0-9])(?:-([0-9][0-9]))?)");
  std::cmatch found;
  if (!std::regex_search(date.data(), date.data() + date.size(), found, pattern)) return 0;
  const int month = found[2].matched ? std::stoi(found[2]) : 6;
  return std::stoi(found[1]) * 12 + month;
}

/// Where neither version nor date is stated: a release from the middle of the generation's life.
std::string_view usual_release(Architecture architecture) {
  switch (architecture) {
    case Architecture::volta:
      return "2.8.3";
    case Architecture::ampere:
      return "2.18.3";
    case Architecture::blackwell:
      return "2.27.3";
    default:
      return "2.21.5";
  }
}

NcclVersion version_of(const StatedRun& run, Architecture architecture,
                       std::vector<std::string>& assumptions) {
  static const std::regex pattern(R"(2\.[0-9]+(\.[0-9]+)?)");
  std::smatch found;
  std::string version, why;
  if (std::regex_search(run.nccl_version, found, pattern)) {
    version = found[0];
  } else if (const std::string_view dated = release_of_date(run.date); !dated.empty()) {
    version = dated;
    why = "by date";
  } else {
    version = usual_release(architecture);
    why = "by GPU generation";
  }
  if (!why.empty()) assumptions.push_back(fmt::format("NCCL {} ({})", version, why));
  try {
    return parse_nccl_version(version);
  } catch (const InputError&) {
    assumptions.push_back(fmt::format("NCCL 2.7 in place of {}", version));
    return parse_nccl_version("2.7.8");
  }
}

/// What software does on a machine without being told in the header.
struct SettingRule {
  std::string_view gpu, link,
      text;  ///< patterns of `gpu`, `inter_link`; of `env`, `note` and both links
  std::string_view pair, assumption;
};

constexpr SettingRule setting_rules[] = {
    {"p4d-24xlarge|p4de-24xlarge|g4dn-metal", "efa", "", "NCCL_PROTO=Simple",
     "Simple alone: aws-ofi-nccl sets NCCL_PROTO=simple where EFA does not write in order"},
    {"", "", "sharp", "NCCL_COLLNET_ENABLE=1", "SHARP through CollNet"},
    {"", "", "p2p-unavailable", "NCCL_P2P_DISABLE=1", ""},
    {"", "", "no-gpudirect !proxy", "NCCL_NET_GDR_LEVEL=LOC", ""},
    {"", "", "nccl-tree-threshold-0", "NCCL_ALGO=Ring", ""},
    {"", "", "cxi-hook-off", "", "sockets on the nodes' own network"},
};

/// "16 channels (max=min)".
std::vector<std::string> channel_pairs(const std::string& env) {
  static const std::regex pattern(R"(([0-9]+) channels \(max=min\))");
  std::smatch found;
  if (!std::regex_search(env, found, pattern)) return {};
  return {"NCCL_MIN_NCHANNELS=" + found[1].str(), "NCCL_MAX_NCHANNELS=" + found[1].str()};
}

void set(std::vector<std::string>& pairs, const std::string& pair) {
  const std::string key = pair.substr(0, pair.find('=') + 1);
  std::erase_if(pairs, [&](const std::string& other) { return other.starts_with(key); });
  pairs.push_back(pair);
}

std::vector<std::string> pairs_of(const StatedRun& run, bool sockets,
                                  std::vector<std::string>& assumptions) {
  bool doubted = false;
  std::vector<std::string> pairs = env_pairs(run.env, doubted);
  if (doubted) assumptions.push_back(fmt::format("not applied: {}", run.env));
  for (const std::string& pair : channel_pairs(run.env)) set(pairs, pair);
  const std::string text =
      fmt::format("{}; {}; {}; {}", run.env, run.note, run.intra_link, run.inter_link);
  for (const SettingRule& rule : setting_rules) {
    if (!matches(run.gpu, rule.gpu) || !matches(run.inter_link, rule.link) ||
        !matches(text, rule.text))
      continue;
    if (!rule.pair.empty()) set(pairs, std::string(rule.pair));
    if (!rule.assumption.empty()) assumptions.emplace_back(rule.assumption);
  }
  if (sockets) set(pairs, "NCCL_IB_DISABLE=1");
  if (!run.algorithm.empty()) set(pairs, "NCCL_ALGO=" + run.algorithm);
  if (!run.protocol.empty()) set(pairs, "NCCL_PROTO=" + run.protocol);
  return pairs;
}

}  // namespace

const std::vector<NcclRelease>& nccl_releases() {
  static const std::vector<NcclRelease> releases{
      {"2.7.8", "2020-07"},  {"2.8.3", "2020-11"},   {"2.9.9", "2021-05"},  {"2.10.3", "2021-07"},
      {"2.11.4", "2021-09"}, {"2.12.12", "2022-05"}, {"2.14.3", "2022-08"}, {"2.15.5", "2022-10"},
      {"2.16.2", "2022-12"}, {"2.17.1", "2023-03"},  {"2.18.3", "2023-06"}, {"2.19.3", "2023-11"},
      {"2.20.5", "2024-03"}, {"2.21.5", "2024-04"},  {"2.22.3", "2024-06"}, {"2.23.4", "2024-09"},
      {"2.24.3", "2025-01"}, {"2.25.1", "2025-02"},  {"2.26.2", "2025-03"}, {"2.27.3", "2025-06"},
      {"2.28.3", "2025-09"}, {"2.28.9", "2025-11"},  {"2.29.2", "2026-01"}, {"2.29.7", "2026-03"},
  };
  return releases;
}

std::string_view release_of_date(std::string_view date) {
  const int month = month_of(date) - months_until_used;
  if (month < 0) return {};
  std::string_view version = nccl_releases().front().version;
  for (const NcclRelease& release : nccl_releases())
    if (month_of(release.month) <= month) version = release.version;
  return version;
}

std::vector<std::string> env_pairs(std::string_view env, bool& doubted) {
  static const std::regex pattern(R"((NCCL_[A-Z0-9_]+)=([^ ,;)]+))");
  std::vector<std::string> pairs;
  for (std::cregex_iterator it(env.data(), env.data() + env.size(), pattern), end; it != end; ++it)
    pairs.push_back((*it)[1].str() + "=" + (*it)[2].str());
  doubted = !pairs.empty() && matches(env, "appears|shown-command|another-run");
  if (doubted) pairs.clear();
  return pairs;
}

bool single_process(const StatedRun& run) {
  const std::string text = fmt::format("{}; {}", run.env, run.note);
  return matches(text, "one-process-drives|one-process-for-both|g-8|single-process");
}

double launch_floor(Architecture architecture, std::string_view collective, std::int64_t gpus) {
  // Host time a GPU: nccl-tests -g 8 on A100 has a floor of 32 to 36 us, -g 12 on a DGX-2 of 60 us;
  // an all-to-all, whose group call prepares every pair first, 87 us on 8 A100 (superbenchmark
  // tests/data and a DGX-2 log, 3 machines). Published, +- 15 %.
  const double all_to_all = 10.9e-6, volta = 5e-6, later = 4.3e-6;
  const auto count = static_cast<double>(gpus);
  if (matches(collective, "alltoall|all-to-all") && architecture != Architecture::volta)
    return all_to_all * count;
  return (architecture == Architecture::volta ? volta : later) * count;
}

namespace {

// What NCCL before 2.7 chose is not modelled; a forced algorithm is.
void refuse_old_choice(const StatedRun& run, bool forced) {
  const int month = month_of(run.date);
  if (month > 0 && run.nccl_version.find("2.") == std::string::npos && !forced &&
      month < month_of(nccl_releases().front().month))
    throw InputError("run before NCCL 2.7, whose choices are not modelled");
}

}  // namespace

RunConditions conditions_of(const StatedRun& run, Architecture architecture, bool sockets) {
  RunConditions result;
  refuse_old_choice(run, !run.algorithm.empty() || matches(run.env, "nccl-tree-threshold-0"));
  const NcclVersion version = version_of(run, architecture, result.assumptions);
  result.nccl.version = version;
  std::vector<std::string> taken;
  for (const std::string& pair : pairs_of(run, sockets, result.assumptions)) {
    taken.push_back(pair);
    try {
      result.nccl = parse_nccl_settings(taken, version);
    } catch (const InputError&) {
      taken.pop_back();
      result.assumptions.push_back(fmt::format("not applied: {}", pair));
    }
  }
  if (single_process(run)) {
    result.launch_floor = launch_floor(architecture, run.collective, run.gpus_per_node);
    result.assumptions.push_back(
        fmt::format("launches of one process: {:.0f} us", result.launch_floor * 1e6));
  }
  return result;
}

}  // namespace dsim
