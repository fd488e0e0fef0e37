#include "model/strategy/pipeline_messages.h"

#include <fmt/format.h>

namespace dsim {

PipelineMessages::PipelineMessages(const TrainingRequest& request, const RankGrid& grid,
                                   const PipelineLayout& layout, SharedCalls& calls)
    : request_(request), grid_(grid), layout_(layout), calls_(calls) {
  index_.assign(2 * layout.parts.size() * layout.schedule.direction.size(), -1);
  for (std::uint32_t rank = 0; rank < layout.schedule.ranks.size(); ++rank)
    for (const PipelineAction& action : layout.schedule.ranks[rank]) {
      if (action.work == PipelineWork::weight_gradient) continue;
      const bool backward = action.work != PipelineWork::forward;
      const std::size_t part = layout.part(rank, action.chunk);
      if (part == (backward ? 0 : layout.last_part())) continue;
      const std::size_t boundary = backward ? part - 1 : part;
      const std::uint32_t to = layout.holder(backward ? part - 1 : part + 1, action.micro_batch);
      if (to != rank) add(boundary, action, backward, rank, to);
    }
}

/// Boundary i lies between parts i and i + 1. With tensor-parallel ranks every rank has the whole
/// activation unless it is cut along the sequence: each sends its share, and the receivers gather.
std::size_t PipelineMessages::add(std::size_t boundary, const PipelineAction& action, bool backward,
                                  std::uint32_t from, std::uint32_t to) {
  const Parallelism& p = grid_.parallelism();
  const LayerRange part = layout_.parts[boundary];
  const double bytes = request_.model->layers[part.last - 1].output_bytes;
  const bool scatter = p.tensor > 1 && !p.sequence && request_.options.megatron.scatter_gather &&
                       request_.options.strategy == Strategy::megatron;
  PipelineMessage message;
  message.backward = backward;
  message.from = from;
  message.to = to;
  CollectiveCall call;
  call.op = CollectiveOp::sendrecv;
  call.backend = request_.options.backend;
  call.element_bytes = activation_bytes(request_.precision);
  call.family = pairs(from, to);
  call.bytes = Bytes{static_cast<std::int64_t>(scatter ? bytes / p.tensor : bytes)};
  if (scatter) message.gathered = Bytes{static_cast<std::int64_t>(bytes)};
  message.call = calls_.call(call);
  const std::size_t id = messages_.size();
  messages_.push_back(message);
  index_[slot(boundary, action.micro_batch, backward)] = static_cast<std::int64_t>(id);
  sent_[{from, to, backward}].push_back(id);
  return id;
}

FamilyId PipelineMessages::pairs(std::uint32_t from, std::uint32_t to) {
  const auto [entry, added] = pairs_.try_emplace({from, to});
  if (added)
    entry->second = calls_.family(fmt::format("pipeline {} to {}", from, to),
                                  [&] { return grid_.pipeline_pairs(from, to); });
  return entry->second;
}

std::size_t PipelineMessages::slot(std::size_t boundary, std::int32_t micro_batch,
                                   bool backward) const {
  return (static_cast<std::size_t>(micro_batch) * layout_.parts.size() + boundary) * 2 +
         (backward ? 1 : 0);
}

std::optional<std::size_t> PipelineMessages::needed(std::uint32_t rank,
                                                    const PipelineAction& action) const {
  if (action.work == PipelineWork::weight_gradient) return {};
  const bool backward = action.work != PipelineWork::forward;
  const std::size_t part = layout_.part(rank, action.chunk);
  if (part == (backward ? layout_.last_part() : 0)) return {};
  const std::int64_t id = index_[slot(backward ? part : part - 1, action.micro_batch, backward)];
  return id < 0 ? std::nullopt : std::optional<std::size_t>(static_cast<std::size_t>(id));
}

std::optional<std::size_t> PipelineMessages::made(std::uint32_t rank,
                                                  const PipelineAction& action) const {
  if (action.work == PipelineWork::weight_gradient) return {};
  const bool backward = action.work != PipelineWork::forward;
  const std::size_t part = layout_.part(rank, action.chunk);
  if (part == (backward ? 0 : layout_.last_part())) return {};
  const std::int64_t id = index_[slot(backward ? part - 1 : part, action.micro_batch, backward)];
  return id < 0 ? std::nullopt : std::optional<std::size_t>(static_cast<std::size_t>(id));
}

const std::vector<std::size_t>& PipelineMessages::sent(std::uint32_t from, std::uint32_t to,
                                                       bool backward) const {
  const auto found = sent_.find({from, to, backward});
  return found == sent_.end() ? empty_ : found->second;
}

bool PipelineMessages::several_peers(std::uint32_t rank, bool sends, bool backward) const {
  int peers = 0;
  for (const auto& [channel, messages] : sent_) {
    const auto& [from, to, back] = channel;
    peers += back == backward && (sends ? from : to) == rank;
  }
  return peers > 1;
}

}  // namespace dsim
