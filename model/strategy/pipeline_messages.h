#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "model/strategy/parallelism.h"
#include "model/strategy/pipeline_layout.h"
#include "model/strategy/shared_calls.h"

namespace dsim {

/// Activations on their way to the next part, or their gradient on its way back.
struct PipelineMessage {
  bool backward = false;
  std::uint32_t from = 0, to = 0;  ///< pipeline ranks
  std::uint32_t call = 0;
  Bytes gathered;  ///< size of the in-node all-gather that follows; 0 = none
};

/// All messages of a pipelined step, and the order in which they cross between two ranks.
class PipelineMessages {
 public:
  PipelineMessages(const TrainingRequest& request, const RankGrid& grid,
                   const PipelineLayout& layout, SharedCalls& calls);

  /// What an action of a rank waits for and what it sends: indices into all(); empty if it begins
  /// or ends the network, or the neighbour is the rank itself.
  std::optional<std::size_t> needed(std::uint32_t rank, const PipelineAction& action) const;
  std::optional<std::size_t> made(std::uint32_t rank, const PipelineAction& action) const;
  const std::vector<PipelineMessage>& all() const { return messages_; }
  /// Messages from one rank to another, one pass, in the order in which they are sent.
  const std::vector<std::size_t>& sent(std::uint32_t from, std::uint32_t to, bool backward) const;
  /// Whether a rank exchanges messages of a pass with more than one other rank.
  bool several_peers(std::uint32_t rank, bool sends, bool backward) const;

 private:
  std::size_t add(std::size_t boundary, const PipelineAction& action, bool backward,
                  std::uint32_t from, std::uint32_t to);
  FamilyId pairs(std::uint32_t from, std::uint32_t to);
  std::size_t slot(std::size_t boundary, std::int32_t micro_batch, bool backward) const;

  const TrainingRequest& request_;
  const RankGrid& grid_;
  const PipelineLayout& layout_;
  SharedCalls& calls_;
  std::vector<PipelineMessage> messages_;
  std::vector<std::int64_t> index_;  ///< by slot; -1 = none
  std::map<std::tuple<std::uint32_t, std::uint32_t, bool>, std::vector<std::size_t>> sent_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, FamilyId> pairs_;
  std::vector<std::size_t> empty_;
};

}  // namespace dsim
