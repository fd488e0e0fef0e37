#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <cmath>

#include "calibrate/validate/training_report.h"

namespace dsim {
namespace {

using Writer = rapidjson::Writer<rapidjson::StringBuffer>;

void key(Writer& json, std::string_view name) {
  json.Key(name.data(), static_cast<rapidjson::SizeType>(name.size()));
}

void member(Writer& json, std::string_view name, std::string_view text) {
  key(json, name);
  json.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
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

void write_row(Writer& json, const TrainingRow& row) {
  json.StartObject();
  member(json, "source", row.source);
  member(json, "id", row.id);
  member(json, "line", std::int64_t{row.line});
  member(json, "model", row.model);
  member(json, "gpu", row.gpu);
  member(json, "gpus", row.gpus);
  member(json, "precision", row.precision);
  member(json, "framework", row.framework);
  member(json, "strategy", row.strategy);
  member(json, "topology", row.topology);
  member(json, "micro_batch", row.micro_batch);
  member(json, "accumulate", row.accumulate);
  member(json, "sequence", row.sequence);
  member(json, "status", name_of(row.status));
  member(json, "obstacle",
         row.obstacle == Obstacle::none ? std::string_view{} : name_of(row.obstacle));
  member(json, "reason", row.reason);
  member(json, "predicted_s", row.predicted_s);
  member(json, "measured_s", row.measured_s);
  member(json, "error", row.comparable() ? row.error() : std::nan(""));
  member(json, "assumptions", row.assumptions);
  member(json, "explanation", row.explanation);
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

void write_groups(Writer& json, std::string_view name, const std::vector<GroupSummary>& groups) {
  key(json, name);
  json.StartArray();
  for (const GroupSummary& group : groups) {
    json.StartObject();
    member(json, "name", group.name);
    member(json, "rows", group.rows);
    write_errors(json, group.errors);
    json.EndObject();
  }
  json.EndArray();
}

void write_ratios(Writer& json, const TrainingValidation& validation) {
  key(json, "ratios");
  json.StartArray();
  for (const ScalingRatio& ratio : validation.ratios) {
    const TrainingRow& row = validation.rows[ratio.row];
    const TrainingRow& reference = validation.rows[ratio.reference];
    json.StartObject();
    member(json, "source", row.source);
    member(json, "id", row.id);
    member(json, "gpus", row.gpus);
    member(json, "reference_id", reference.id);
    member(json, "reference_gpus", reference.gpus);
    member(json, "predicted", ratio.predicted);
    member(json, "measured", ratio.measured);
    json.EndObject();
  }
  json.EndArray();
}

void write_summary(Writer& json, const TrainingValidation& validation) {
  key(json, "summary");
  json.StartObject();
  write_errors(json, validation.overall());
  member(json, "not_predictable", validation.not_predictable());
  member(json, "rows", validation.rows.size());
  write_groups(json, "sources", validation.by(source_key));
  write_groups(json, "hardware", validation.by(hardware_key));
  write_groups(json, "sizes", validation.by(size_key));
  member(json, "ratios", validation.ratios.size());
  member(json, "median_ratio_difference", validation.median_ratio_difference());
  key(json, "reasons");
  json.StartArray();
  for (const ReasonCount& reason : validation.reasons()) {
    json.StartObject();
    member(json, "obstacle", name_of(reason.obstacle));
    member(json, "reason", reason.reason);
    member(json, "rows", reason.rows);
    json.EndObject();
  }
  json.EndArray();
  key(json, "notices");
  json.StartArray();
  for (const std::string& notice : validation.notices)
    json.String(notice.data(), static_cast<rapidjson::SizeType>(notice.size()));
  json.EndArray();
  member(json, "line", closing_line(validation.overall(), validation.not_predictable()));
  json.EndObject();
}

}  // namespace

std::string training_json(const TrainingValidation& validation) {
  rapidjson::StringBuffer buffer;
  Writer json(buffer);
  json.StartObject();
  member(json, "format", "dsim.validation/1");
  member(json, "kind", "training");
  key(json, "rows");
  json.StartArray();
  for (const TrainingRow& row : validation.rows) write_row(json, row);
  json.EndArray();
  write_ratios(json, validation);
  write_summary(json, validation);
  json.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

}  // namespace dsim
