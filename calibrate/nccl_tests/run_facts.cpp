#include "calibrate/nccl_tests/run_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "calibrate/nccl_tests/log_line.h"

namespace dsim {
namespace {

// Programs of nccl-tests (NVIDIA/nccl-tests src/*.cu) and our names for what they measure.
struct Program {
  std::string_view name, collective;
};
constexpr std::array<Program, 11> programs{{{"all_reduce_perf", "all_reduce"},
                                            {"all_gather_perf", "all_gather"},
                                            {"reduce_scatter_perf", "reduce_scatter"},
                                            {"alltoall_perf", "all_to_all"},
                                            {"alltoallv_perf", "all_to_all"},
                                            {"broadcast_perf", "broadcast"},
                                            {"sendrecv_perf", "sendrecv"},
                                            {"gather_perf", "gather"},
                                            {"scatter_perf", "scatter"},
                                            {"reduce_perf", "reduce"},
                                            {"hypercube_perf", "hypercube"}}};

/// A fact that a line already gave stays: later ranks repeat it.
void keep(std::string& field, std::string_view value) {
  if (field.empty()) field = value;
}
void keep(std::optional<std::int64_t>& field, std::string_view line, std::string_view mark) {
  std::int64_t value = 0;
  if (!field && number_after(line, mark, value) && value >= 0) field = value;
}

std::string_view first_word(std::string_view text) {
  const std::vector<std::string_view> words = log_words(text);
  return words.empty() ? std::string_view() : words.front();
}

std::string_view without_suffix(std::string_view text, std::string_view characters) {
  while (!text.empty() && characters.find(text.back()) != std::string_view::npos)
    text.remove_suffix(1);
  return text;
}

/// "#  Rank  0 Group  0 Pid 1234 on node0 device  0 [0000:19:00] NVIDIA H100 80GB HBM3"
void read_rank(std::string_view line, MeasuredFacts& facts) {
  std::int64_t rank = 0, device = 0;
  const std::string_view host = first_word(text_after(line, " on "));
  if (!number_after(line, "Rank ", rank) || !number_after(line, "device ", device) || host.empty())
    return;
  if (rank < 0 || rank > 10'000'000) return;
  facts.ranks = std::max(facts.ranks.value_or(0), rank + 1);
  if (facts.hosts.size() < 100'000 && (facts.hosts.empty() || facts.hosts.back() != host) &&
      std::find(facts.hosts.begin(), facts.hosts.end(), host) == facts.hosts.end())
    facts.hosts.emplace_back(host);
  const std::size_t bracket = line.rfind(']');
  if (bracket != std::string_view::npos) keep(facts.gpu, text_after(line.substr(bracket), "]"));
}

/// "[0] NCCL INFO 24 coll channels, 24 collnet channels, 16 nvls channels, 32 p2p channels, ..."
void read_channels(std::string_view line, MeasuredFacts& facts) {
  const auto before = [&](std::string_view mark, std::optional<std::int64_t>& field) {
    const std::size_t at = line.find(mark);
    if (at == std::string_view::npos || field) return;
    const std::vector<std::string_view> words = log_words(line.substr(0, at));
    std::int64_t value = 0;
    if (!words.empty() && read_number(words.back(), value) && value >= 0) field = value;
  };
  before(" coll channels", facts.coll_channels);
  before(" nvls channels", facts.nvls_channels);
  before(" p2p channels", facts.p2p_channels);
}

/// "AllReduce: 1048576 Bytes -> Algo 1 proto 2 time 93.5", later "... -> Algo RING proto LL128
/// ...".
void read_choice(std::string_view line, MeasuredFacts& facts) {
  const std::size_t at = line.find(" Bytes -> Algo ");
  if (at == std::string_view::npos || facts.choices.size() >= 100'000) return;
  const std::vector<std::string_view> head = log_words(line.substr(0, at));
  MeasuredChoice choice;
  if (head.size() < 2 || !read_number(head.back(), choice.size_bytes)) return;
  choice.operation = without_suffix(head[head.size() - 2], ":");
  choice.algorithm = first_word(text_after(line, " Bytes -> Algo "));
  choice.protocol = first_word(text_after(line, " proto "));
  facts.choices.push_back(std::move(choice));
}

/// "NCCL_ALGO set by environment to RING"
void read_environment(std::string_view line, MeasuredFacts& facts) {
  constexpr std::string_view mark = " set by environment to ";
  const std::size_t at = line.find(mark);
  if (at == std::string_view::npos) return;
  const std::vector<std::string_view> words = log_words(line.substr(0, at));
  if (words.empty() || !words.back().starts_with("NCCL_")) return;
  const std::string_view value = without_suffix(text_after(line, mark), ". ");
  for (const auto& [key, known] : facts.environment)
    if (key == words.back()) return;
  if (facts.environment.size() < 1000) facts.environment.emplace_back(words.back(), value);
}

void read_nccl_line(std::string_view line, MeasuredFacts& facts) {
  keep(facts.nccl_version, without_suffix(first_word(text_after(line, "NCCL version ")), ".,"));
  const std::size_t build = facts.nccl_version.find('+');  // "2.26.2+cuda12.8"
  if (build != std::string::npos) facts.nccl_version.resize(build);
  read_channels(line, facts);
  if (line.find("NCCL INFO") == std::string_view::npos) return;
  keep(facts.network, text_after(line, "Using network "));
  keep(facts.ranks, line, " nranks ");
  read_choice(line, facts);
  read_environment(line, facts);
}

void read_program(std::string_view line, MeasuredFacts& facts) {
  if (line.find("_perf") == std::string_view::npos || !facts.collective.empty()) return;
  for (const std::string_view word : log_words(line)) {
    const std::string collective = collective_of_program(word);
    if (collective.empty()) continue;
    facts.collective = collective;
    return;
  }
}

}  // namespace

std::string nccl_version_of_code(std::int64_t code) {
  // nccl.h: 2.8 and before X*1000 + Y*100 + Z, then X*10000 + Y*100 + Z.
  if (code >= 2000 && code < 2900)
    return fmt::format("{}.{}.{}", code / 1000, code / 100 % 10, code % 100);
  if (code >= 20900 && code < 100'000)
    return fmt::format("{}.{}.{}", code / 10000, code / 100 % 100, code % 100);
  return "";
}

std::string collective_of_program(std::string_view program) {
  program = program.substr(program.find_last_of("/= '\"") + 1);  // npos + 1 = 0
  for (const Program& known : programs)
    if (program.starts_with(known.name)) return std::string(known.collective);
  return "";
}

namespace {

/// "# dsim collective: all_reduce simulated, 512 ranks on 64 nodes"
bool read_own_heading(std::string_view line, MeasuredFacts& facts) {
  const std::string_view own = text_after(line, "# dsim collective: ");
  const std::vector<std::string_view> words = log_words(own);
  if (words.size() < 7) return false;
  std::string counts[2]{std::string(words[2]), std::string(words[5])};
  for (std::string& count : counts) std::erase(count, ',');
  std::int64_t ranks = 0, nodes = 0;
  if (!read_number(counts[0], ranks) || !read_number(counts[1], nodes)) return false;
  facts.collective = words[0];
  facts.ranks = ranks;
  facts.nodes = nodes;
  return true;
}

}  // namespace

bool read_run_fact(std::string_view line, MeasuredFacts& facts) {
  if (read_own_heading(line, facts)) return true;
  read_nccl_line(line, facts);
  if (line.find("Rank ") != std::string_view::npos) read_rank(line, facts);
  const std::string_view tests = text_after(line, "nccl-tests version ");
  if (!tests.empty()) {
    facts.tests_version = first_word(tests);
    std::int64_t code = 0;
    if (number_after(line, "nccl-library=", code))
      keep(facts.nccl_version, nccl_version_of_code(code));
    return true;
  }
  const std::string_view started = text_after(line, "Collective test starting:");
  if (!started.empty()) {
    facts.collective = collective_of_program(first_word(started));
    return true;
  }
  if (line.find("nThread ") != std::string_view::npos &&
      line.find("minBytes ") != std::string_view::npos) {
    keep(facts.threads, line, "nThread ");
    keep(facts.gpus_per_process, line, "nGpus ");
    keep(facts.warmup_iterations, line, "warmup iters: ");
    const std::size_t warm = line.find("warmup iters:");
    if (warm != std::string_view::npos) keep(facts.iterations, line.substr(warm + 8), " iters: ");
    return true;
  }
  double average = 0;
  const std::string_view busbw = text_after(line, "Avg bus bandwidth");
  if (!busbw.empty() && read_number(first_word(text_after(busbw, ":")), average) && average >= 0)
    facts.average_busbw_gbps = average;
  const std::string_view bounds = text_after(line, "Out of bounds values");
  if (!bounds.empty()) keep(facts.out_of_bounds, bounds, ":");
  read_program(line, facts);
  return false;
}

}  // namespace dsim
