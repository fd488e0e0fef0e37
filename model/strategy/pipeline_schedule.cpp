#include "model/strategy/pipeline_schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "model/strategy/schedules/schedules.h"
#include "sim/base/error.h"
#include "sim/base/spelling.h"

namespace dsim {
namespace {

constexpr std::array<std::string_view, 6> kind_names{"gpipe", "1f1b", "interleaved",
                                                     "zb-h1", "zb-v", "dualpipe"};

void check(PipelineKind kind, std::uint32_t ranks, std::uint32_t chunks,
           std::int64_t micro_batches) {
  if (ranks == 0) throw InputError("a pipeline has at least one rank");
  if (chunks == 0) throw InputError("a pipeline rank holds at least one chunk of the model");
  if (micro_batches < 1) throw InputError("a pipeline needs at least one micro-batch");
  // Passes are counted in 32 bits.
  if (micro_batches > std::numeric_limits<std::int32_t>::max() / (4 * std::int64_t{chunks}))
    throw InputError(fmt::format("{} micro-batches a step are too many", micro_batches));
  if (kind != PipelineKind::interleaved && chunks > 1)
    throw InputError(
        fmt::format("a virtual pipeline size of {} needs the interleaved schedule, not {}", chunks,
                    name_of(kind)));
  if (kind == PipelineKind::interleaved) {
    if (chunks < 2)
      throw InputError(
          "the interleaved schedule needs at least 2 model chunks a pipeline rank (virtual "
          "pipeline size)");
    if (ranks < 2) throw InputError("the interleaved schedule needs at least 2 pipeline ranks");
    if (micro_batches % ranks != 0)
      throw InputError(fmt::format(
          "the interleaved schedule needs a number of micro-batches that is a multiple of the {} "
          "pipeline ranks, not {}",
          ranks, micro_batches));
  }
  if (kind == PipelineKind::dual_pipe) {
    if (ranks % 2 != 0)
      throw InputError(
          fmt::format("DualPipe needs an even number of pipeline ranks, not {}", ranks));
    if (micro_batches % 2 != 0 || micro_batches < 2 * std::int64_t{ranks})
      throw InputError(
          fmt::format("DualPipe needs an even number of micro-batches of at least twice the {} "
                      "pipeline ranks, not {}",
                      ranks, micro_batches));
  }
}

schedules::Actions actions(PipelineKind kind, std::uint32_t ranks, std::uint32_t rank,
                           std::uint32_t chunks, std::int32_t micro_batches) {
  switch (kind) {
    case PipelineKind::gpipe:
      return schedules::gpipe(micro_batches);
    case PipelineKind::one_f_one_b:
      return schedules::one_f_one_b(ranks, rank, micro_batches);
    case PipelineKind::interleaved:
      return schedules::interleaved(ranks, rank, chunks, micro_batches);
    case PipelineKind::zero_bubble_h1:
      return schedules::zero_bubble_h1(ranks, rank, micro_batches);
    case PipelineKind::zero_bubble_v:
      return schedules::zero_bubble_v(ranks, rank, micro_batches);
    case PipelineKind::dual_pipe:
      return schedules::dual_pipe(ranks, rank, micro_batches);
  }
  return {};
}

std::vector<std::vector<PipelineSchedule::Part>> paths(PipelineKind kind, std::uint32_t ranks,
                                                       std::uint32_t chunks) {
  using Path = std::vector<PipelineSchedule::Part>;
  Path path;
  if (kind == PipelineKind::zero_bubble_v) {
    for (std::uint32_t i = 0; i < ranks; ++i) path.push_back({i, 0});
    for (std::uint32_t i = 0; i < ranks; ++i) path.push_back({ranks - 1 - i, 1});
    return {path};
  }
  for (std::uint32_t chunk = 0; chunk < chunks; ++chunk)
    for (std::uint32_t i = 0; i < ranks; ++i) path.push_back({i, static_cast<std::int32_t>(chunk)});
  if (kind != PipelineKind::dual_pipe) return {path};
  Path back;
  for (std::uint32_t i = 0; i < ranks; ++i) back.push_back({ranks - 1 - i, 1});
  return {path, back};
}

}  // namespace

std::string_view name_of(PipelineKind kind) {
  return kind_names.at(static_cast<std::size_t>(kind));
}

PipelineKind pipeline_kind_from(std::string_view name) {
  for (std::size_t i = 0; i < kind_names.size(); ++i)
    if (kind_names[i] == name) return static_cast<PipelineKind>(i);
  throw InputError(unknown_name("pipeline schedule", name, kind_names));
}

PipelineSchedule pipeline_schedule(PipelineKind kind, std::uint32_t ranks, std::uint32_t chunks,
                                   std::int64_t micro_batches, const PipelineCosts&) {
  check(kind, ranks, chunks, micro_batches);
  PipelineSchedule schedule;
  for (std::uint32_t rank = 0; rank < ranks; ++rank)
    schedule.ranks.push_back(
        actions(kind, ranks, rank, chunks, static_cast<std::int32_t>(micro_batches)));
  schedule.paths = paths(kind, ranks, chunks);
  schedule.direction.assign(static_cast<std::size_t>(micro_batches), 0);
  if (kind == PipelineKind::dual_pipe)
    std::fill(schedule.direction.begin() + micro_batches / 2, schedule.direction.end(),
              std::uint8_t{1});
  return schedule;
}

std::int64_t most_in_flight(const PipelineSchedule& schedule, std::uint32_t rank) {
  std::int64_t held = 0, most = 0;
  for (const PipelineAction& action : schedule.ranks.at(rank)) {
    if (action.work == PipelineWork::forward) most = std::max(most, ++held);
    if (action.work == PipelineWork::backward || action.work == PipelineWork::weight_gradient)
      --held;
  }
  return most;
}

}  // namespace dsim
