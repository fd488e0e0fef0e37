#pragma once
#include <cstdint>
#include <string>

namespace dsim {

/// What a table says of a run of nccl-tests, in its own words; "" or 0 where it is silent. Rules
/// read this, never the name of a file.
struct StatedRun {
  std::string source = {}, date = {};
  std::string gpu = {}, intra_link = {}, inter_link = {};
  std::string nccl_version = {}, env = {}, algorithm = {}, protocol = {};  ///< the last two: forced
  std::string collective = {}, dtype = {}, healthy = {}, note = {};
  std::int64_t nodes = 0, gpus_per_node = 0, ranks = 0;

  bool operator==(const StatedRun&) const = default;
};

}  // namespace dsim
