#pragma once
// The faces of a CollectiveValidation. All end in, or hold, the same closing line: the healthy
// runs.
#include <string>

#include "calibrate/validate/collective/collectives.h"

namespace dsim {

std::string collectives_text(const CollectiveValidation& validation);
std::string collectives_markdown(const CollectiveValidation& validation);
/// One object, format dsim.validation/1: rows, summary. Errors are fractions; what does not exist
/// is null.
std::string collectives_json(const CollectiveValidation& validation);
/// One line a row of the tables, RFC 4180.
std::string collectives_csv(const CollectiveValidation& validation);
/// The last line of every report.
std::string collectives_line(const CollectiveValidation& validation);

/// A way to divide the points: its title and its groups.
struct Division {
  std::string_view title;
  std::string_view name;  ///< key in JSON
  CollectiveValidation::Key key;
};
/// By size class, nodes, hardware, collective, network, algorithm and protocol.
const std::vector<Division>& divisions();
/// Of the runs named: predicted by the published constants, and by constants fitted elsewhere.
struct LeftOutGroup {
  std::string name;
  ErrorSummary published, left_out;
};
std::vector<LeftOutGroup> left_out_groups(const CollectiveValidation& validation);

std::string run_key(const MeasuredRun& run, const ComparedPoint& point);

}  // namespace dsim
