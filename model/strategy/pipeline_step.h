#pragma once
#include <map>
#include <utility>
#include <vector>

#include "model/strategy/gradient_writer.h"
#include "model/strategy/pipeline_messages.h"

namespace dsim {

/// Writes the program of one pipeline rank: the actions of its schedule as one block each, messages
/// to its neighbours on streams of their own, then the end of the step. Where gradients or
/// parameters travel beside the passes, the passes concerned are written layer by layer.
class PipelineStep {
 public:
  PipelineStep(const TrainingRequest& request, const RankGrid& grid, const PipelineLayout& layout,
               const PipelineMessages& messages, SharedCalls& calls, std::uint32_t rank);
  Program write();

 private:
  void run(std::size_t action);
  void pass(const PipelineAction& action, double stretch);
  void by_layer(const PipelineAction& action);
  void receive(std::size_t message);
  void post(std::size_t message);
  void send(std::size_t message);
  void tied_embedding();

  BlockTime time(std::size_t layer, PipelineWork work);
  BlockTime time(LayerRange layers, PipelineWork work);
  double stretch(const PipelineAction& first, const PipelineAction& second);
  std::string name(const PipelineAction& action) const;
  std::uint8_t stream(bool sends, bool backward, std::uint32_t peer);
  /// Last pass that makes gradients of a chunk, first one that needs its parameters.
  bool is_last_backward(std::size_t action) const;
  bool is_first_forward(std::size_t action) const;
  const std::vector<PipelineAction>& actions() const { return layout_.schedule.ranks[rank_]; }
  LayerRange layers(const PipelineAction& action) const {
    return layout_.parts[layout_.part(rank_, action.chunk)];
  }

  const TrainingRequest& request_;
  const PipelineLayout& layout_;
  const PipelineMessages& messages_;
  std::uint32_t rank_;
  StepWriter writer_;
  GradientWriter gradients_;
  HostPace pace_;        ///< of the host: blocking messages make it wait for the GPU
  bool blocking_sends_;  ///< the next pass waits until a message has left
  std::vector<TaskId> received_;  ///< by message; invalid = not posted
  std::map<std::uint64_t, std::size_t> posted_;  ///< by sender and pass: messages posted so far
  std::vector<std::size_t> last_backward_, first_forward_;  ///< by chunk: index of the action
  std::map<std::pair<std::size_t, PipelineWork>, BlockTime> part_times_;
  double beside_ = 0;  ///< stretch of an action that runs beside the one before; 0 = it does not
};

}  // namespace dsim
