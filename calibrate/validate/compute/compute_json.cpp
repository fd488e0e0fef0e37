#include "calibrate/validate/compute/compute_report.h"
#include "sim/base/json_writer.h"

namespace dsim {
namespace {

void write_row(JsonWriter& json, const ComparedGemm& row) {
  json.begin();
  json.member("source", row.table);
  json.member("line", std::int64_t{row.line});
  json.member("gpu", row.gpu);
  json.member("dtype", row.dtype);
  json.member("m", row.m);
  json.member("n", row.n);
  json.member("k", row.k);
  json.member("batch", row.batch);
  json.member("flops", row.flops);
  json.member("status", name_of(row.status));
  json.member("reason", row.reason);
  json.member("predicted_s", row.predicted_s);
  json.member("measured_s", row.measured_s);
  json.member("error", row.error());
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

void write_status(JsonWriter& json, std::string_view name, const ComputeValidation& validation,
                  GemmStatus status) {
  json.begin(name);
  write_errors(json, validation.overall(status));
  for (const GemmDivision& division : gemm_divisions()) {
    json.begin_list(division.name);
    for (const GemmGroup& group : validation.by(status, division.key, division.least_flops)) {
      json.begin();
      json.member("name", group.name);
      write_errors(json, group.errors);
      json.end();
    }
    json.end_list();
  }
  json.end();
}

}  // namespace

std::string compute_json(const ComputeValidation& validation) {
  JsonWriter json(JsonWriter::Layout::compact);
  json.begin();
  json.member("format", "dsim.validation/1");
  json.member("kind", "compute");
  json.begin_list("rows");
  for (const ComparedGemm& row : validation.rows) write_row(json, row);
  json.end_list();
  json.begin("summary");
  write_status(json, "held_out", validation, GemmStatus::held_out);
  write_status(json, "fitted", validation, GemmStatus::fitted);
  json.member("not_predictable", validation.not_predictable());
  json.begin_list("reasons");
  for (const GemmReason& reason : validation.reasons()) {
    json.begin();
    json.member("reason", reason.reason);
    json.member("rows", reason.rows);
    json.end();
  }
  json.end_list();
  json.texts("notices", validation.notices);
  json.member("line", compute_line(validation));
  json.end();
  json.end();
  return json.document();
}

}  // namespace dsim
