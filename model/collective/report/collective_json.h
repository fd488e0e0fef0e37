#pragma once
#include <string>

#include "model/collective/report/collective_report.h"

namespace dsim {

/// What may be added to the object.
struct CollectiveJsonParts {
  bool estimates = false;  ///< NCCL's table for each size (--explain)
  std::string comparison;  ///< JSON text of "comparison"; "" = none
};

/// The report as one JSON object (dsim.collective/1), with a final newline. Times in us, rates in
/// GB/s (1e9 B/s), as nccl-tests has them.
std::string collective_json(const CollectiveReport& report, const CollectiveJsonParts& parts = {});

/// `# key: value` lines and a row a size, in the layout that the reader of measured tables takes.
std::string collective_csv(const CollectiveReport& report);

}  // namespace dsim
