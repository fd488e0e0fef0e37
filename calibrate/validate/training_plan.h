#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "calibrate/validate/hardware_rules.h"
#include "calibrate/validate/row_plan.h"
#include "calibrate/validate/training.h"

namespace dsim {

/// A row as an experiment, made from its inputs alone.
struct PlannedRow {
  TrainingRow row;
  std::optional<Experiment> experiment;  ///< empty: not predictable, row.reason says why
  std::string key;  ///< equal for rows that are one experiment
  MemoryMeasure memory_measure = MemoryMeasure::device;
  double memory_unit = 1e9;
};

/// Machines built so far: rows share them.
class TopologyShelf {
 public:
  std::shared_ptr<const Topology> of(const Hardware& hardware);

 private:
  std::map<std::string, std::shared_ptr<const Topology>> built_;
};

/// Plans a row of a training table. `source` names the table.
PlannedRow plan_training_row(const RowInputs& inputs, const std::string& source,
                             TopologyShelf& shelf);

}  // namespace dsim
