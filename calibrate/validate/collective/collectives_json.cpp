#include <cmath>

#include "calibrate/validate/collective/collectives_report.h"
#include "calibrate/validate/collective/switches.h"
#include "model/collective/algorithm.h"
#include "sim/base/json_writer.h"

namespace dsim {
namespace {

void write_row(JsonWriter& json, const MeasuredRun& run, const ComparedPoint& point) {
  const StatedRun& stated = run.plan.series->stated;
  json.begin();
  json.member("source", run.plan.series->name);
  json.member("line", std::int64_t{point.line});
  json.member("published", stated.source);
  json.member("gpu", stated.gpu);
  json.member("machine", run.plan.machine);
  json.member("nodes", stated.nodes);
  json.member("ranks", std::int64_t{run.plan.ranks});
  json.member("network", run.plan.network);
  json.member("collective", run.plan.setup ? name_of(run.plan.op) : stated.collective);
  json.member("dtype", name_of(run.plan.type));
  json.member("healthy", name_of(run.health));
  json.member("size_bytes", point.bytes);
  json.member("algorithm", point.algorithm);
  json.member("protocol", point.protocol);
  json.member("channels", std::int64_t{point.channels});
  json.member("bottleneck", point.bottleneck);
  json.member("status", name_of(point.status));
  json.member("reason", point.reason);
  json.member("predicted_s", point.predicted_s);
  json.member("predicted_low_s", point.low_s);
  json.member("predicted_high_s", point.high_s);
  json.member("measured_s", point.measured_s);
  json.member("error", point.ratio() - 1);
  json.member("left_out_s", point.left_out_s);
  json.end();
}

void write_errors(JsonWriter& json, const ErrorSummary& errors) {
  json.member("points", errors.points);
  json.member("median_error", errors.median);
  json.member("p90_error", errors.p90);
  json.member("worst_error", errors.worst);
  json.member("mean_error", errors.mean);
  json.member("bias", errors.bias);
}

void write_groups(JsonWriter& json, std::string_view name, const std::vector<ErrorGroup>& groups) {
  json.begin_list(name);
  for (const ErrorGroup& group : groups) {
    json.begin();
    json.member("name", group.name);
    write_errors(json, group.errors);
    json.end();
  }
  json.end_list();
}

void write_health(JsonWriter& json, std::string_view name, const CollectiveValidation& validation,
                  Health health) {
  json.begin(name);
  write_errors(json, validation.overall(health));
  write_groups(json, "tables", validation.by(health, run_key));
  json.end();
}

void write_switches(JsonWriter& json, const CollectiveValidation& validation) {
  json.begin_list("switches");
  for (const SwitchSize& one : switch_sizes(validation)) {
    json.begin();
    json.member("run", one.run);
    json.member("size_bytes", one.bytes);
    json.member("time", one.falls ? "falls" : "jumps");
    json.member("predicted_size_bytes",
                one.predicted > 0 ? static_cast<double>(one.predicted) : std::nan(""));
    json.member("change", one.change);
    json.end();
  }
  json.end_list();
}

void write_constants(JsonWriter& json, const CollectiveValidation& validation) {
  json.begin_list("constants");
  for (const ConstantInUse& use : validation.constants) {
    json.begin();
    json.member("name", use.name);
    json.member("value", use.constant.value);
    json.member("sigma", use.constant.sigma);
    json.member("level", name_of(use.constant.level));
    json.member("source", use.constant.source);
    json.member("range", use.constant.range);
    json.member("runs", use.runs);
    json.end();
  }
  json.end_list();
}

void write_runs(JsonWriter& json, const CollectiveValidation& validation) {
  json.begin_list("runs");
  for (const MeasuredRun& run : validation.runs) {
    json.begin();
    json.member("name", run.plan.series->name);
    json.member("published", run.plan.series->stated.source);
    json.member("healthy", name_of(run.health));
    json.member("machine", run.plan.machine);
    json.member("reason", run.plan.reason);
    json.texts("assumptions", run.plan.assumptions);
    json.end();
  }
  json.end_list();
}

void write_summary(JsonWriter& json, const CollectiveValidation& validation) {
  json.begin("summary");
  write_errors(json, validation.overall());
  json.member("not_predictable", validation.not_predictable());
  json.member("connection_setup", validation.count(PointStatus::setup));
  json.member("free_constants", validation.free_constants());
  for (const Division& division : divisions())
    write_groups(json, division.name, validation.by(Health::healthy, division.key));
  write_groups(json, "tables", validation.by(Health::healthy, run_key));
  write_health(json, "unknown", validation, Health::unknown);
  write_health(json, "faulty", validation, Health::faulty);
  if (validation.left_out) {
    json.begin_list("left_out");
    for (const LeftOutGroup& group : left_out_groups(validation)) {
      json.begin();
      json.member("name", group.name);
      json.begin("published");
      write_errors(json, group.published);
      json.end();
      json.begin("left_out");
      write_errors(json, group.left_out);
      json.end();
      json.end();
    }
    json.end_list();
  }
  write_switches(json, validation);
  write_constants(json, validation);
  write_runs(json, validation);
  json.begin_list("reasons");
  for (const UnpredictableCount& reason : validation.reasons()) {
    json.begin();
    json.member("reason", reason.reason);
    json.member("rows", reason.points);
    json.end();
  }
  json.end_list();
  json.texts("notices", validation.notices);
  json.member("line", collectives_line(validation));
  json.end();
}

}  // namespace

std::string collectives_json(const CollectiveValidation& validation) {
  JsonWriter json(JsonWriter::Layout::compact);
  json.begin();
  json.member("format", "dsim.validation/1");
  json.member("kind", "collectives");
  json.begin_list("rows");
  for (const MeasuredRun& run : validation.runs)
    for (const ComparedPoint& point : run.points) write_row(json, run, point);
  json.end_list();
  write_summary(json, validation);
  json.end();
  return json.document();
}

}  // namespace dsim
