#include "tests/model/strategy/pipeline_player.h"

#include <algorithm>
#include <limits>

namespace dsim::test {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

class Player {
 public:
  Player(const PipelineSchedule& schedule, const PassCosts& costs)
      : schedule_(schedule), costs_(costs) {
    for (const auto& path : schedule.paths) parts_ = std::max(parts_, path.size());
    const std::size_t passes = schedule.direction.size() * parts_;
    forward_.assign(passes, never);
    input_.assign(passes, never);
  }

  std::optional<Played> run() {
    const std::size_t ranks = schedule_.ranks.size();
    std::vector<std::size_t> next(ranks, 0);
    std::vector<double> now(ranks, 0), busy(ranks, 0), begun(ranks, never);
    for (bool progress = true; progress;) {
      progress = false;
      for (std::size_t rank = 0; rank < ranks; ++rank)
        while (next[rank] < schedule_.ranks[rank].size()) {
          const auto& actions = schedule_.ranks[rank];
          const std::size_t first = next[rank], last = first + (actions[first].beside_next ? 2 : 1);
          double start = now[rank];
          for (std::size_t i = first; i < last; ++i)
            start = std::max(start, ready(rank, actions[i]));
          if (start == never) break;
          const double lasts = last - first == 2 ? costs_.pair : duration(actions[first].work);
          now[rank] = start + lasts;
          busy[rank] += lasts;
          begun[rank] = std::min(begun[rank], start);
          for (std::size_t i = first; i < last; ++i) finish(rank, actions[i], now[rank]);
          next[rank] = last;
          progress = true;
        }
    }
    Played played;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      if (next[rank] < schedule_.ranks[rank].size()) return std::nullopt;
      played.makespan = std::max(played.makespan, now[rank]);
    }
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      played.idle.push_back(played.makespan - busy[rank]);
      played.inside.push_back(now[rank] - begun[rank] - busy[rank]);
    }
    return played;
  }

 private:
  double duration(PipelineWork work) const {
    switch (work) {
      case PipelineWork::forward:
        return costs_.forward;
      case PipelineWork::backward:
        return costs_.backward();
      case PipelineWork::input_gradient:
        return costs_.input;
      case PipelineWork::weight_gradient:
        return costs_.weight;
    }
    return 0;
  }
  const std::vector<PipelineSchedule::Part>& path(const PipelineAction& action) const {
    return schedule_.paths[schedule_.direction[static_cast<std::size_t>(action.micro_batch)]];
  }
  std::size_t part(std::size_t rank, const PipelineAction& action) const {
    const auto& parts = path(action);
    return static_cast<std::size_t>(std::find_if(parts.begin(), parts.end(),
                                                 [&](const auto& one) {
                                                   return one.rank == rank &&
                                                          one.chunk == action.chunk;
                                                 }) -
                                    parts.begin());
  }
  std::size_t index(const PipelineAction& action, std::size_t part) const {
    return static_cast<std::size_t>(action.micro_batch) * parts_ + part;
  }
  double ready(std::size_t rank, const PipelineAction& action) const {
    const std::size_t at = part(rank, action);
    if (at == path(action).size()) return never;  // not on this rank
    switch (action.work) {
      case PipelineWork::forward:
        return at == 0 ? 0 : forward_[index(action, at - 1)];
      case PipelineWork::backward:
      case PipelineWork::input_gradient:
        return std::max(forward_[index(action, at)],
                        at + 1 == path(action).size() ? 0 : input_[index(action, at + 1)]);
      case PipelineWork::weight_gradient:
        return input_[index(action, at)];
    }
    return never;
  }
  void finish(std::size_t rank, const PipelineAction& action, double end) {
    const std::size_t i = index(action, part(rank, action));
    if (action.work == PipelineWork::forward) forward_[i] = end;
    if (action.work == PipelineWork::backward || action.work == PipelineWork::input_gradient)
      input_[i] = end;
  }

  const PipelineSchedule& schedule_;
  PassCosts costs_;
  std::size_t parts_ = 0;
  std::vector<double> forward_, input_;  ///< ends, by micro-batch and part
};

}  // namespace

double Played::least_idle() const { return *std::min_element(idle.begin(), idle.end()); }
double Played::most_idle() const { return *std::max_element(idle.begin(), idle.end()); }

std::optional<Played> play(const PipelineSchedule& schedule, const PassCosts& costs) {
  return Player(schedule, costs).run();
}

}  // namespace dsim::test
