#include "model/strategy/pipeline_layout.h"

namespace dsim {

PipelineLayout::PipelineLayout(const TrainingRequest& request) : kind(request.options.schedule) {
  const Parallelism& p = request.options.parallel;
  if (kind == PipelineKind::one_f_one_b && p.chunks > 1) kind = PipelineKind::interleaved;
  schedule = pipeline_schedule(kind, p.pipeline, p.chunks, request.options.accumulate);
  parts = cut_into_parts(*request.model,
                         static_cast<std::uint32_t>(schedule.paths.front().size()),
                         true);
  held_.resize(p.pipeline);
  for (const auto& path : schedule.paths)
    for (std::size_t i = 0; i < path.size(); ++i) {
      auto& chunks = held_[path[i].rank];
      const auto chunk = static_cast<std::size_t>(path[i].chunk);
      if (chunks.size() <= chunk) chunks.resize(chunk + 1);
      chunks[chunk] = i;
    }
}

std::size_t PipelineLayout::part(std::uint32_t rank, std::int32_t chunk) const {
  return held_[rank][static_cast<std::size_t>(chunk)];
}

std::uint32_t PipelineLayout::holder(std::size_t part, std::int32_t micro_batch) const {
  const std::size_t way = schedule.direction[static_cast<std::size_t>(micro_batch)];
  return schedule.paths[way][part].rank;
}

std::int32_t PipelineLayout::chunks(std::uint32_t rank) const {
  return static_cast<std::int32_t>(held_[rank].size());
}

}  // namespace dsim
