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
      "source,grade,id,model,gpu,gpus,precision,framework,strategy,topology,network,layout,"
      "micro_batch,accumulate,seq_len,status,obstacle,reason,predicted_s,measured_s,error,"
      "left_out_s,compute_share,predicted_gb,measured_gb,memory_measure,fits,stated_oom,"
      "assumptions,facts,explanation\n";
  const std::back_insert_iterator<std::string> out(text);
  const auto number = [](double value) {
    return value > 0 ? fmt::format("{:.6g}", value) : std::string();
  };
  for (const TrainingRow& row : validation.rows) {
    const Parallelism& p = row.parallel;
    fmt::format_to(
        out, "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n",
        csv_field(row.source), name_of(row.grade), csv_field(row.id), csv_field(row.model),
        csv_field(row.gpu), row.gpus, csv_field(row.precision), csv_field(row.framework),
        csv_field(row.strategy), csv_field(row.topology), csv_field(row.network),
        fmt::format("{} tp{} cp{} ep{} pp{}x{} dp{}", name_of(row.kind), p.tensor, p.context,
                    p.expert, p.pipeline, p.chunks, p.data),
        row.micro_batch, row.accumulate, row.sequence, name_of(row.status),
        row.obstacle == Obstacle::none ? "" : name_of(row.obstacle), csv_field(row.reason),
        number(row.predicted_s), number(row.measured_s),
        row.comparable() ? fmt::format("{:.5f}", row.error()) : "", number(row.left_out_s),
        number(row.compute_share), number(row.predicted_bytes * 1e-9),
        number(row.measured_bytes * 1e-9), name_of(row.memory_measure),
        row.predicted_bytes > 0 ? (row.fits ? "yes" : "no") : "", row.stated_oom ? "yes" : "",
        csv_field(row.assumptions), csv_field(row.facts), csv_field(row.explanation));
  }
  return text;
}

}  // namespace dsim
