#pragma once
#include <cstdint>
#include <vector>

#include "model/strategy/pipeline_schedule.h"
#include "model/strategy/training.h"

namespace dsim {

/// A schedule together with the parts of the network that its ranks hold.
struct PipelineLayout {
  PipelineSchedule schedule;
  std::vector<LayerRange> parts;  ///< of the network in forward order

  /// InputError: the rules of pipeline_schedule and cut_into_parts. More than one chunk a rank asks
  /// for the interleaved schedule.
  explicit PipelineLayout(const TrainingRequest& request);

  std::size_t last_part() const { return parts.size() - 1; }
  /// Which part of the network a rank holds as a chunk.
  std::size_t part(std::uint32_t rank, std::int32_t chunk) const;
  /// Who runs a part for a micro-batch.
  std::uint32_t holder(std::size_t part, std::int32_t micro_batch) const;
  std::int32_t chunks(std::uint32_t rank) const;
  bool two_ways() const { return schedule.paths.size() > 1; }
  PipelineKind kind = PipelineKind::one_f_one_b;

 private:
  std::vector<std::vector<std::size_t>> held_;  ///< by rank and chunk
};

}  // namespace dsim
