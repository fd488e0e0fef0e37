#include <fmt/format.h>

#include "calibrate/validate/training_report.h"

namespace dsim {

std::string source_key(const TrainingRow& row) { return row.source; }

std::string hardware_key(const TrainingRow& row) {
  return fmt::format("{} · {} · {}", row.source, row.gpu, row.precision);
}

std::string size_key(const TrainingRow& row) {
  if (row.gpus <= 1) return "1 GPU";
  if (row.gpus <= 8) return "2-8 GPUs";
  if (row.gpus <= 64) return "9-64 GPUs";
  if (row.gpus <= 512) return "65-512 GPUs";
  return "more than 512 GPUs";
}

}  // namespace dsim
