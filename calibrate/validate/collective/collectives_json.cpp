#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <cmath>

#include "calibrate/validate/collective/collectives_report.h"
#include "calibrate/validate/collective/switches.h"
#include "model/collective/algorithm.h"

namespace dsim {
namespace {

using Writer = rapidjson::Writer<rapidjson::StringBuffer>;

void text(Writer& json, std::string_view value) {
  json.String(value.data(), static_cast<rapidjson::SizeType>(value.size()));
}

void key(Writer& json, std::string_view name) {
  json.Key(name.data(), static_cast<rapidjson::SizeType>(name.size()));
}

void member(Writer& json, std::string_view name, std::string_view value) {
  key(json, name);
  text(json, value);
}

/// null if there is no such number.
void member(Writer& json, std::string_view name, double number) {
  key(json, name);
  if (std::isfinite(number))
    json.Double(number);
  else
    json.Null();
}

void member(Writer& json, std::string_view name, std::int64_t number) {
  key(json, name);
  json.Int64(number);
}

void member(Writer& json, std::string_view name, std::size_t number) {
  member(json, name, static_cast<std::int64_t>(number));
}

void write_texts(Writer& json, std::string_view name, const std::vector<std::string>& texts) {
  key(json, name);
  json.StartArray();
  for (const std::string& one : texts) text(json, one);
  json.EndArray();
}

void write_row(Writer& json, const MeasuredRun& run, const ComparedPoint& point) {
  const StatedRun& stated = run.plan.series->stated;
  json.StartObject();
  member(json, "source", run.plan.series->name);
  member(json, "line", std::int64_t{point.line});
  member(json, "published", stated.source);
  member(json, "gpu", stated.gpu);
  member(json, "machine", run.plan.machine);
  member(json, "nodes", stated.nodes);
  member(json, "ranks", std::int64_t{run.plan.ranks});
  member(json, "network", run.plan.network);
  member(json, "collective", run.plan.setup ? name_of(run.plan.op) : stated.collective);
  member(json, "dtype", name_of(run.plan.type));
  member(json, "healthy", name_of(run.health));
  member(json, "size_bytes", point.bytes);
  member(json, "algorithm", point.algorithm);
  member(json, "protocol", point.protocol);
  member(json, "channels", std::int64_t{point.channels});
  member(json, "bottleneck", point.bottleneck);
  member(json, "status", name_of(point.status));
  member(json, "reason", point.reason);
  member(json, "predicted_s", point.predicted_s);
  member(json, "predicted_low_s", point.low_s);
  member(json, "predicted_high_s", point.high_s);
  member(json, "measured_s", point.measured_s);
  member(json, "error", point.ratio() - 1);
  member(json, "left_out_s", point.left_out_s);
  json.EndObject();
}

void write_errors(Writer& json, const ErrorSummary& errors) {
  member(json, "points", errors.points);
  member(json, "median_error", errors.median);
  member(json, "p90_error", errors.p90);
  member(json, "worst_error", errors.worst);
  member(json, "mean_error", errors.mean);
  member(json, "bias", errors.bias);
}

void write_groups(Writer& json, std::string_view name, const std::vector<ErrorGroup>& groups) {
  key(json, name);
  json.StartArray();
  for (const ErrorGroup& group : groups) {
    json.StartObject();
    member(json, "name", group.name);
    write_errors(json, group.errors);
    json.EndObject();
  }
  json.EndArray();
}

void write_health(Writer& json, std::string_view name, const CollectiveValidation& validation,
                  Health health) {
  key(json, name);
  json.StartObject();
  write_errors(json, validation.overall(health));
  write_groups(json, "tables", validation.by(health, run_key));
  json.EndObject();
}

void write_switches(Writer& json, const CollectiveValidation& validation) {
  key(json, "switches");
  json.StartArray();
  for (const SwitchSize& one : switch_sizes(validation)) {
    json.StartObject();
    member(json, "run", one.run);
    member(json, "size_bytes", one.bytes);
    member(json, "time", one.falls ? "falls" : "jumps");
    member(json, "predicted_size_bytes",
           one.predicted > 0 ? static_cast<double>(one.predicted) : std::nan(""));
    member(json, "change", one.change);
    json.EndObject();
  }
  json.EndArray();
}

void write_constants(Writer& json, const CollectiveValidation& validation) {
  key(json, "constants");
  json.StartArray();
  for (const ConstantInUse& use : validation.constants) {
    json.StartObject();
    member(json, "name", use.name);
    member(json, "value", use.constant.value);
    member(json, "sigma", use.constant.sigma);
    member(json, "level", name_of(use.constant.level));
    member(json, "source", use.constant.source);
    member(json, "range", use.constant.range);
    member(json, "runs", use.runs);
    json.EndObject();
  }
  json.EndArray();
}

void write_runs(Writer& json, const CollectiveValidation& validation) {
  key(json, "runs");
  json.StartArray();
  for (const MeasuredRun& run : validation.runs) {
    json.StartObject();
    member(json, "name", run.plan.series->name);
    member(json, "published", run.plan.series->stated.source);
    member(json, "healthy", name_of(run.health));
    member(json, "machine", run.plan.machine);
    member(json, "reason", run.plan.reason);
    write_texts(json, "assumptions", run.plan.assumptions);
    json.EndObject();
  }
  json.EndArray();
}

void write_summary(Writer& json, const CollectiveValidation& validation) {
  key(json, "summary");
  json.StartObject();
  write_errors(json, validation.overall());
  member(json, "not_predictable", validation.not_predictable());
  member(json, "connection_setup", validation.count(PointStatus::setup));
  member(json, "free_constants", validation.free_constants());
  for (const Division& division : divisions())
    write_groups(json, division.name, validation.by(Health::healthy, division.key));
  write_groups(json, "tables", validation.by(Health::healthy, run_key));
  write_health(json, "unknown", validation, Health::unknown);
  write_health(json, "faulty", validation, Health::faulty);
  if (validation.left_out) {
    key(json, "left_out");
    json.StartArray();
    for (const LeftOutGroup& group : left_out_groups(validation)) {
      json.StartObject();
      member(json, "name", group.name);
      key(json, "published");
      json.StartObject();
      write_errors(json, group.published);
      json.EndObject();
      key(json, "left_out");
      json.StartObject();
      write_errors(json, group.left_out);
      json.EndObject();
      json.EndObject();
    }
    json.EndArray();
  }
  write_switches(json, validation);
  write_constants(json, validation);
  write_runs(json, validation);
  key(json, "reasons");
  json.StartArray();
  for (const UnpredictableCount& reason : validation.reasons()) {
    json.StartObject();
    member(json, "reason", reason.reason);
    member(json, "rows", reason.points);
    json.EndObject();
  }
  json.EndArray();
  write_texts(json, "notices", validation.notices);
  member(json, "line", collectives_line(validation));
  json.EndObject();
}

}  // namespace

std::string collectives_json(const CollectiveValidation& validation) {
  rapidjson::StringBuffer buffer;
  Writer json(buffer);
  json.StartObject();
  member(json, "format", "dsim.validation/1");
  member(json, "kind", "collectives");
  key(json, "rows");
  json.StartArray();
  for (const MeasuredRun& run : validation.runs)
    for (const ComparedPoint& point : run.points) write_row(json, run, point);
  json.EndArray();
  write_summary(json, validation);
  json.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

}  // namespace dsim
