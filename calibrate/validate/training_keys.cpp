#include <fmt/format.h>

#include <array>
#include <set>

#include "calibrate/validate/training_report.h"
#include "model/compute/gpu.h"
#include "sim/base/error.h"

namespace dsim {

std::string grade_key(const TrainingRow& row) {
  return row.grade == Grade::none ? "not graded" : fmt::format("grade {}", name_of(row.grade));
}

std::string source_key(const TrainingRow& row) { return row.source; }

std::string gpu_key(const TrainingRow& row) {
  return row.gpu_model.empty() ? fmt::format("not simulated: {}", row.gpu) : row.gpu_model;
}

std::string strategy_key(const TrainingRow& row) {
  if (row.status == RowStatus::not_predictable && row.topology.empty()) return "not simulated";
  std::string key(row.framework_kind == Framework::horovod ? "horovod" : name_of(row.kind));
  if (row.parallel.tensor > 1) key += " tp";
  if (row.parallel.pipeline > 1) key += " pp";
  if (row.parallel.context > 1) key += " cp";
  if (row.parallel.expert > 1) key += " ep";
  return key;
}

std::string size_key(const TrainingRow& row) {
  if (row.gpus <= 1) return "1 GPU";
  if (row.gpus <= 8) return "2-8 GPUs";
  if (row.gpus <= 64) return "9-64 GPUs";
  if (row.gpus <= 512) return "65-512 GPUs";
  return "more than 512 GPUs";
}

std::span<const Grouping> groupings() {
  static constexpr std::array all{Grouping{"By grade of the source", grade_key},
                                  Grouping{"By source", source_key},
                                  Grouping{"By GPU", gpu_key},
                                  Grouping{"By strategy", strategy_key},
                                  Grouping{"By size", size_key}};
  return all;
}

std::vector<SetConstant> set_constants(const TrainingValidation& validation) {
  std::set<std::string> gpus;
  for (const TrainingRow& row : validation.rows)
    if (row.status == RowStatus::predicted) gpus.insert(row.gpu_model);
  std::vector<SetConstant> result;
  for (const std::string& name : gpus) {
    try {
      ComputeConstants constants = gpu_by_name(name).constants;
      constants.visit([&](std::string_view constant_name, Constant& constant) {
        if (constant_name == "kappa" || constant_name == "kappa_bytes" ||
            constant_name == "wgrad" || constant.level == Level::fitted)
          result.push_back({name, std::string(constant_name), constant});
      });
    } catch (const InputError&) {
      continue;  // a GPU that has left the table
    }
  }
  return result;
}

std::string memory_line(const TrainingValidation& validation) {
  const ErrorSummary memory = validation.memory();
  const OomSummary oom = validation.out_of_memory();
  if (memory.points == 0 && oom.stated == 0) return "";
  std::string line;
  if (memory.points > 0)
    line = fmt::format("memory: median {:.1f} % p90 {:.1f} % bias {:+.1f} % over {} rows",
                       memory.median * 100, memory.p90 * 100, memory.bias * 100, memory.points);
  if (oom.stated > 0)
    line += fmt::format("{}out of memory foreseen in {} of {} rows that state it",
                        line.empty() ? "" : "; ", oom.foreseen, oom.stated);
  if (oom.ran > 0)
    line += fmt::format("{}{} of {} rows that ran are said to fit", line.empty() ? "" : "; ",
                        oom.allowed, oom.ran);
  return line;
}

}  // namespace dsim
