#pragma once
// What is predicted for a run of a table, before any measured cell is read.
#include <optional>
#include <string>
#include <vector>

#include "calibrate/validate/collective/series.h"
#include "calibrate/validate/row_inputs.h"
#include "model/collective/predictor.h"

namespace dsim {

struct CollectivePlan {
  const CollectiveSeries* series = nullptr;
  std::optional<CollectiveSetup> setup;  ///< empty: not predictable, for `reason`
  Obstacle obstacle = Obstacle::none;
  std::string reason;

  CollectiveOp op = CollectiveOp::all_reduce;
  DataType type = DataType::float32;
  std::uint32_t ranks = 0, nodes = 0;
  std::string site;     ///< who published it: with the node type, the machine
  std::string machine;  ///< node type
  std::string network;  ///< kind of its NICs; "" = one node
  std::string architecture;
  std::string topology;  ///< the text it was built from
  std::vector<std::string> assumptions;
};

std::vector<CollectivePlan> plan_collectives(const std::vector<CollectiveSeries>& series);

/// The publisher of a source text: "github.com/OWNER/REPO" without path, one issue, one gist.
std::string site_of(std::string_view source);

}  // namespace dsim
