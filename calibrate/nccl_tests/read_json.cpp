#include <fmt/format.h>

#include "calibrate/nccl_tests/log_line.h"
#include "calibrate/nccl_tests/read_tables.h"
#include "calibrate/nccl_tests/run_facts.h"
#include "model/collective/algorithm.h"
#include "sim/base/json.h"

namespace dsim {
namespace {

using json::Kind;
using json::Value;

/// The member of an object, or empty; other writers' keys are left alone.
std::optional<Value> member(const Value& object, std::string_view key) {
  if (object.kind() != Kind::object) return std::nullopt;
  for (const auto& [name, value] : object.members())
    if (name == key) return value;
  return std::nullopt;
}

/// A number >= 0; null and "nan" are empty.
std::optional<double> number_at(const Value& object, std::string_view key) {
  const std::optional<Value> value = member(object, key);
  if (!value || value->kind() == Kind::null || value->kind() == Kind::string) return std::nullopt;
  const double number = value->as_number();
  if (number < 0) value->fail("expected a number that is not negative");
  return number;
}

/// An integer, also where it is written as a string ("    -1").
std::optional<std::int64_t> whole_at(const Value& object, std::string_view key) {
  const std::optional<Value> value = member(object, key);
  if (!value) return std::nullopt;
  if (value->kind() == Kind::integer) return value->as_integer();
  if (value->kind() != Kind::string) return std::nullopt;
  const std::vector<std::string_view> words = log_words(value->as_string());
  std::int64_t number = 0;
  if (words.size() != 1 || !read_number(words[0], number)) return std::nullopt;
  return number;
}

std::string text_at(const Value& object, std::string_view key) {
  const std::optional<Value> value = member(object, key);
  return value && value->kind() == Kind::string ? std::string(value->as_string()) : "";
}

std::vector<Value> elements_at(const Value& object, std::string_view key) {
  const std::optional<Value> value = member(object, key);
  return value && value->kind() == Kind::array ? value->elements() : std::vector<Value>();
}

std::optional<std::int64_t> positive(std::optional<std::int64_t> value) {
  return value && *value > 0 ? value : std::nullopt;
}

void read_devices(const Value& config, MeasuredFacts& facts) {
  std::string line;
  for (const Value& device : elements_at(config, "devices")) {
    line = fmt::format("#  Rank {} Pid 0 on {} device {} [0] {}",
                       whole_at(device, "rank").value_or(0), text_at(device, "hostname"),
                       whole_at(device, "device").value_or(0), text_at(device, "device_info"));
    read_run_fact(line, facts);
  }
}

MeasuredRow row_of_nccl_tests(const Value& result) {
  MeasuredRow row;
  row.size_bytes = whole_at(result, "size").value_or(0);
  row.count = whole_at(result, "count");
  row.type = text_at(result, "type");
  row.redop = text_at(result, "redop");
  row.root = whole_at(result, "root");
  row.line = result.position().line;
  const auto time_of = [](const Value& half) {
    const std::optional<double> time = number_at(half, "time");
    return time ? time : number_at(half, "cpu_time");
  };
  if (const std::optional<Value> half = member(result, "out_of_place")) {
    row.time_us = time_of(*half);
    row.algbw_gbps = number_at(*half, "alg_bw");
    row.busbw_gbps = number_at(*half, "bus_bw");
    if (const std::optional<double> wrong = number_at(*half, "nwrong"); wrong && *wrong < 1e18)
      row.wrong = static_cast<std::int64_t>(*wrong);
  }
  if (const std::optional<Value> half = member(result, "in_place")) {
    row.in_place_time_us = time_of(*half);
    row.in_place_algbw_gbps = number_at(*half, "alg_bw");
    row.in_place_busbw_gbps = number_at(*half, "bus_bw");
  }
  return row;
}

void read_nccl_tests(const Value& root, MeasuredTable& table) {
  MeasuredFacts& facts = table.facts;
  const std::vector<Value> arguments = elements_at(root, "args");
  if (!arguments.empty() && arguments[0].kind() == Kind::string)
    facts.collective = collective_of_program(arguments[0].as_string());
  facts.nccl_version = nccl_version_of_code(whole_at(root, "nccl_version").value_or(0));
  for (const Value& variable : elements_at(root, "env")) {
    if (variable.kind() != Kind::string || !variable.as_string().starts_with("NCCL_")) continue;
    const std::string_view text = variable.as_string();
    const std::size_t equals = text.find('=');
    if (equals != std::string_view::npos)
      facts.environment.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  if (const std::optional<Value> config = member(root, "config")) {
    facts.threads = positive(whole_at(*config, "nthreads"));
    facts.gpus_per_process = positive(whole_at(*config, "ngpus"));
    facts.warmup_iterations = whole_at(*config, "warmup_iters");
    facts.iterations = positive(whole_at(*config, "iterations"));
    read_devices(*config, facts);
  }
  for (const Value& result : elements_at(root, "results"))
    table.rows.push_back(row_of_nccl_tests(result));
  if (const std::optional<Value> average = member(root, "average_bus_bandwidth"))
    facts.average_busbw_gbps = number_at(*average, "bandwidth");
  if (const std::optional<Value> bounds = member(root, "out_of_bounds"))
    facts.out_of_bounds = whole_at(*bounds, "count");
}

/// Our own dsim.collective/1.
void read_own(const Value& root, MeasuredTable& table) {
  const std::string collective = text_at(root, "collective");
  if (!collective.empty()) table.facts.collective = name_of(collective_by_name(collective));
  table.facts.nccl_version = text_at(root, "nccl_version");
  table.facts.gpu = text_at(root, "gpu");
  table.facts.ranks = positive(whole_at(root, "ranks"));
  table.facts.nodes = positive(whole_at(root, "nodes"));
  for (const Value& result : elements_at(root, "results")) {
    MeasuredRow row;
    row.size_bytes = whole_at(result, "size_bytes").value_or(0);
    row.time_us = number_at(result, "time_us");
    row.algbw_gbps = number_at(result, "algbw_gbps");
    row.busbw_gbps = number_at(result, "busbw_gbps");
    row.type = text_at(root, "type");
    row.line = result.position().line;
    table.rows.push_back(std::move(row));
  }
}

}  // namespace

std::vector<MeasuredTable> read_nccl_tests_json(std::string text, const std::string& name) {
  const json::Document document = json::Document::parse(std::move(text), name);
  const Value root = document.root();
  if (root.kind() != Kind::object) root.fail("expected the object that nccl-tests writes");
  MeasuredTable table;
  table.source = name;
  const std::string format = text_at(root, "format");
  if (format == "dsim.collective/1")
    read_own(root, table);
  else if (format.empty() && member(root, "results"))
    read_nccl_tests(root, table);
  else
    root.fail("neither what nccl-tests writes (no \"results\") nor dsim.collective/1");
  std::erase_if(table.rows, [](const MeasuredRow& row) { return row.size_bytes <= 0; });
  if (!table.rows.empty()) table.line = table.rows.front().line;
  infer_facts(table);
  return {std::move(table)};
}

}  // namespace dsim
