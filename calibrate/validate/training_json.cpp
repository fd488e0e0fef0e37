#include <cmath>

#include "calibrate/validate/training_report.h"
#include "sim/base/json_writer.h"

namespace dsim {
namespace {

void write_row(JsonWriter& json, const TrainingRow& row) {
  json.begin();
  json.member("source", row.source);
  json.member("grade", name_of(row.grade));
  json.member("id", row.id);
  json.member("line", std::int64_t{row.line});
  json.member("model", row.model);
  json.member("gpu", row.gpu);
  json.member("gpus", row.gpus);
  json.member("precision", row.precision);
  json.member("framework", row.framework);
  json.member("strategy", row.strategy);
  json.member("topology", row.topology);
  json.member("network", row.network);
  json.member("tensor", std::int64_t{row.parallel.tensor});
  json.member("context", std::int64_t{row.parallel.context});
  json.member("expert", std::int64_t{row.parallel.expert});
  json.member("pipeline", std::int64_t{row.parallel.pipeline});
  json.member("chunks", std::int64_t{row.parallel.chunks});
  json.member("data", std::int64_t{row.parallel.data});
  json.member("micro_batch", row.micro_batch);
  json.member("accumulate", row.accumulate);
  json.member("sequence", row.sequence);
  json.member("status", name_of(row.status));
  json.member("obstacle",
              row.obstacle == Obstacle::none ? std::string_view{} : name_of(row.obstacle));
  json.member("reason", row.reason);
  json.member("predicted_s", row.predicted_s);
  json.member("measured_s", row.measured_s);
  json.member("error", row.comparable() ? row.error() : std::nan(""));
  json.member("left_out_s", row.left_out_s);
  json.member("predicted_bytes", row.predicted_bytes);
  json.member("measured_bytes", row.measured_bytes);
  json.member("memory_measure", name_of(row.memory_measure));
  json.flag("fits", row.fits);
  json.flag("stated_oom", row.stated_oom);
  json.member("assumptions", row.assumptions);
  json.member("facts", row.facts);
  json.member("explanation", row.explanation);
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

void write_groups(JsonWriter& json, std::string_view name,
                  const std::vector<GroupSummary>& groups) {
  json.begin_list(name);
  for (const GroupSummary& group : groups) {
    json.begin();
    json.member("name", group.name);
    json.member("rows", group.rows);
    write_errors(json, group.errors);
    json.member("left_out_median_error", group.left_out.median);
    json.end();
  }
  json.end_list();
}

void write_ratios(JsonWriter& json, const TrainingValidation& validation) {
  json.begin_list("ratios");
  for (const ScalingRatio& ratio : validation.ratios) {
    const TrainingRow& row = validation.rows[ratio.row];
    const TrainingRow& reference = validation.rows[ratio.reference];
    json.begin();
    json.member("source", row.source);
    json.member("id", row.id);
    json.member("gpus", row.gpus);
    json.member("reference_id", reference.id);
    json.member("reference_gpus", reference.gpus);
    json.member("predicted", ratio.predicted);
    json.member("measured", ratio.measured);
    json.end();
  }
  json.end_list();
}

void write_summary(JsonWriter& json, const TrainingValidation& validation) {
  json.begin("summary");
  write_errors(json, validation.overall());
  json.member("not_predictable", validation.not_predictable());
  json.member("rows", validation.rows.size());
  json.begin("headline");
  write_errors(json, validation.headline());
  json.end();
  json.begin("memory");
  write_errors(json, validation.memory());
  const OomSummary oom = validation.out_of_memory();
  json.member("stated_oom", oom.stated);
  json.member("foreseen_oom", oom.foreseen);
  json.member("ran", oom.ran);
  json.member("said_to_fit", oom.allowed);
  json.end();
  write_groups(json, "grades", validation.by(grade_key));
  write_groups(json, "sources", validation.by(source_key));
  write_groups(json, "gpus", validation.by(gpu_key));
  write_groups(json, "strategies", validation.by(strategy_key));
  write_groups(json, "sizes", validation.by(size_key));
  json.begin_list("left_out_levels");
  for (const LeftOutLevel& level : validation.levels) {
    json.begin();
    json.member("gpu", level.gpu);
    json.member("source", level.source);
    json.member("factor", level.factor);
    json.member("sources", level.sources);
    json.end();
  }
  json.end_list();
  json.member("ratios", validation.ratios.size());
  json.member("median_ratio_difference", validation.median_ratio_difference());
  json.begin_list("reasons");
  for (const ReasonCount& reason : validation.reasons()) {
    json.begin();
    json.member("obstacle", name_of(reason.obstacle));
    json.member("reason", reason.reason);
    json.member("rows", reason.rows);
    json.end();
  }
  json.end_list();
  json.begin_list("notices");
  for (const std::string& notice : validation.notices) json.string(notice);
  json.end_list();
  json.member("line", closing_line(validation.overall(), validation.not_predictable()));
  json.end();
}

}  // namespace

std::string training_json(const TrainingValidation& validation) {
  JsonWriter json(JsonWriter::Layout::compact);
  json.begin();
  json.member("format", "dsim.validation/1");
  json.member("kind", "training");
  json.begin_list("rows");
  for (const TrainingRow& row : validation.rows) write_row(json, row);
  json.end_list();
  write_ratios(json, validation);
  write_summary(json, validation);
  json.end();
  return json.document();
}

}  // namespace dsim
