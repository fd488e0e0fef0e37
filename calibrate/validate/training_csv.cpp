#include <fmt/format.h>

#include <iterator>

#include "calibrate/validate/training_report.h"

namespace dsim {

std::string csv_field(std::string_view text) {
  const bool plain = text.find_first_of(",\"\r\n") == std::string_view::npos &&
                     !text.starts_with(' ') && !text.ends_with(' ');
  if (plain && !text.starts_with('#')) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::string training_csv(const TrainingValidation& validation) {
  std::string text =
      "source,id,model,gpu,gpus,precision,framework,strategy,topology,micro_batch,accumulate,seq_"
      "len,status,"
      "obstacle,reason,predicted_s,measured_s,error,assumptions,explanation\n";
  const std::back_insert_iterator<std::string> out(text);
  const auto seconds = [](double value) {
    return value > 0 ? fmt::format("{:.6g}", value) : std::string();
  };
  for (const TrainingRow& row : validation.rows)
    fmt::format_to(out, "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n",
                   csv_field(row.source), csv_field(row.id), csv_field(row.model),
                   csv_field(row.gpu), row.gpus, csv_field(row.precision), csv_field(row.framework),
                   csv_field(row.strategy), csv_field(row.topology), row.micro_batch,
                   row.accumulate, row.sequence, name_of(row.status),
                   row.obstacle == Obstacle::none ? "" : name_of(row.obstacle),
                   csv_field(row.reason), seconds(row.predicted_s), seconds(row.measured_s),
                   row.comparable() ? fmt::format("{:.5f}", row.error()) : "",
                   csv_field(row.assumptions), csv_field(row.explanation));
  return text;
}

}  // namespace dsim
