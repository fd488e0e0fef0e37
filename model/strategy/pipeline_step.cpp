#include "model/strategy/pipeline_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "model/strategy/megatron_step.h"
#include "model/strategy/split_backward.h"
#include "sim/base/error.h"

namespace dsim {

namespace {

double tied_elements(const Model& model) {
  double largest = 0;
  if (model.tied_embeddings)
    for (const Layer& layer : model.layers)
      if (layer.role == LayerRole::embedding)
        for (const ParameterId p : layer.parameters)
          largest =
              std::max(largest, static_cast<double>(model.parameters[p.index()].elements));
  return largest;
}

/// A group of `of_first` joined with that of `of_second` in the same place.
GroupFamily joined(const GroupFamily& of_first, const GroupFamily& of_second) {
  GroupFamily family = of_first;
  for (std::size_t g = 0; g < family.groups.size(); ++g)
    family.groups[g].insert(family.groups[g].end(), of_second.groups[g].begin(),
                            of_second.groups[g].end());
  return family;
}

/// The parts of the network that a pipeline rank holds. A part that runs both ways is held by two
/// ranks, which reduce its gradients together.
std::vector<GradientOwner> owners(StepWriter& writer, const PipelineLayout& layout,
                                  std::uint32_t rank) {
  const RankGrid& grid = writer.grid();
  const Parallelism& p = grid.parallelism();
  const double replicas = static_cast<double>(p.data) * p.context;
  std::vector<std::size_t> parts;
  for (std::int32_t chunk = 0; chunk < layout.chunks(rank); ++chunk)
    parts.push_back(layout.part(rank, chunk));
  std::sort(parts.begin(), parts.end());
  std::vector<GradientOwner> result;
  for (const std::size_t part : parts) {
    GradientOwner owner;
    owner.layers = layout.parts[part];
    owner.dense_ranks = replicas;
    owner.expert_ranks = replicas * p.tensor / (p.expert * p.expert_tensor);
    if (layout.two_ways()) {
      const std::uint32_t a = layout.schedule.paths[0][part].rank,
                          b = layout.schedule.paths[1][part].rank;
      owner.key = fmt::format("part {}", part);
      owner.dense = writer.family(fmt::format("data parallel, part {}", part), [&] {
        return joined(grid.data_groups(a), grid.data_groups(b));
      });
      owner.expert = writer.family(fmt::format("expert data parallel, part {}", part), [&] {
        return joined(grid.expert_data_groups(a), grid.expert_data_groups(b));
      });
      owner.dense_ranks *= 2;
      owner.expert_ranks *= 2;
    } else {
      owner.dense = writer.data_family();
      owner.expert = writer.expert_data_family();
    }
    const bool registers_itself = layout.holder(0, 0) == layout.holder(layout.last_part(), 0);
    if (part == layout.last_part() && !registers_itself)
      owner.copied_elements = tied_elements(writer.model());
    result.push_back(owner);
  }
  return result;
}

/// Two ranks run the passes of a part that goes both ways at different times: their buckets meet
/// after the step only.
GradientExchange exchange_of(const TrainingRequest& request, const RankGrid& grid,
                             const PipelineLayout& layout) {
  const Parallelism& p = grid.parallelism();
  GradientExchange exchange = gradient_exchange(request, p.data * p.context);
  if (layout.two_ways()) {
    exchange.overlap_reduce = exchange.overlap_gather = false;
    exchange.bucket_by_layer = false;
    exchange.bucket_elements = std::numeric_limits<double>::infinity();
  }
  return exchange;
}

/// Megatron sends and receives of 1F1B and GPipe block; the interleaved schedule has them beside
/// compute if asked to; zero-bubble schedules and DualPipe always.
bool blocks(const TrainingRequest& request, PipelineKind kind) {
  if (kind == PipelineKind::interleaved) return !request.options.megatron.overlap_p2p;
  return kind == PipelineKind::one_f_one_b || kind == PipelineKind::gpipe;
}

}  // namespace

PipelineStep::PipelineStep(const TrainingRequest& request, const RankGrid& grid,
                           const PipelineLayout& layout, const PipelineMessages& messages,
                           SharedCalls& calls, std::uint32_t rank)
    : request_(request),
      layout_(layout),
      messages_(messages),
      rank_(rank),
      writer_(request, grid, calls, rank),
      gradients_(writer_, exchange_of(request, grid, layout), owners(writer_, layout, rank)),
      pace_(blocks(request, layout.kind) ? HostPace::keeps_step : HostPace::runs_ahead),
      blocking_sends_(pace_ == HostPace::keeps_step),
      received_(messages.all().size()) {
  if (gradients_.exchange().main_gradients)
    writer_.set_accumulation_bytes(main_gradient_bytes(request, gradients_.exchange()));
  const auto chunks = static_cast<std::size_t>(layout.chunks(rank));
  last_backward_.assign(chunks, 0);
  first_forward_.assign(chunks, actions().size());
  for (std::size_t i = 0; i < actions().size(); ++i) {
    const PipelineAction& action = actions()[i];
    const auto chunk = static_cast<std::size_t>(action.chunk);
    if (action.work == PipelineWork::backward || action.work == PipelineWork::weight_gradient)
      last_backward_[chunk] = i;
    if (action.work == PipelineWork::forward)
      first_forward_[chunk] = std::min(first_forward_[chunk], i);
  }
}

Program PipelineStep::write() {
  gradients_.begin_step();
  for (std::size_t i = 0; i < actions().size(); ++i) run(i);
  gradients_.finish();
  if (writer_.grid().parallelism().sequence) gradients_.sequence_parallel_norms();
  tied_embedding();
  gradients_.update(true);
  return writer_.finish();
}

void PipelineStep::run(std::size_t index) {
  const PipelineAction& action = actions()[index];
  writer_.host_work(writer_.request().host->micro_batch);
  if (action.work == PipelineWork::forward && layout_.part(rank_, action.chunk) == 0)
    writer_.begin_micro_batch();
  if (const auto message = messages_.needed(rank_, action)) receive(*message);

  double factor = std::exchange(beside_, 0);
  if (action.beside_next) {
    const PipelineAction& next = actions()[index + 1];
    if (const auto message = messages_.needed(rank_, next)) receive(*message);
    factor = beside_ = stretch(action, next);
  }
  const GradientExchange& exchange = gradients_.exchange();
  if ((exchange.overlap_reduce && is_last_backward(index)) ||
      (exchange.overlap_gather && is_first_forward(index)))
    by_layer(action);
  else
    pass(action, factor > 0 ? factor : 1);
  if (const auto message = messages_.made(rank_, action)) send(*message);
}

void PipelineStep::pass(const PipelineAction& action, double factor) {
  const std::size_t part = layout_.part(rank_, action.chunk);
  const auto [entry, added] = part_times_.try_emplace({part, action.work});
  if (added) entry->second = time(layout_.parts[part], action.work);
  BlockTime block = entry->second;
  block.seconds *= factor;
  if (factor < 1)
    block.communication_seconds = std::max(
        0.0, block.seconds - (entry->second.seconds - entry->second.communication_seconds));
  writer_.block(block, action.work == PipelineWork::forward ? Phase::forward : Phase::backward,
                name(action), pace_);
}

/// Layer by layer, so that buckets start, or parameters are waited for, where they are ready.
void PipelineStep::by_layer(const PipelineAction& action) {
  const LayerRange range = layers(action);
  const bool forward = action.work == PipelineWork::forward;
  for (std::size_t i = range.first; i < range.last; ++i) {
    const std::size_t layer = forward ? i : range.last - 1 - (i - range.first);
    if (forward) gradients_.before_forward(layer);
    writer_.block(time(layer, action.work), forward ? Phase::forward : Phase::backward,
                  name(action) + " " + request_.model->layers[layer].name, pace_);
    if (forward) continue;
    for (const Kernel& kernel : request_.model->layers[layer].backward)
      for (const ParameterId parameter : kernel.completes) gradients_.gradient_ready(parameter);
  }
}

bool PipelineStep::is_last_backward(std::size_t index) const {
  return last_backward_[static_cast<std::size_t>(actions()[index].chunk)] == index;
}

bool PipelineStep::is_first_forward(std::size_t index) const {
  return first_forward_[static_cast<std::size_t>(actions()[index].chunk)] == index;
}

/// Posts receives in the order of their channel up to this one, and waits for it.
void PipelineStep::receive(std::size_t message) {
  const PipelineMessage& m = messages_.all()[message];
  const auto& order = messages_.sent(m.from, m.to, m.backward);
  std::size_t& next = posted_[std::uint64_t{m.from} << 1 | (m.backward ? 1 : 0)];
  while (!received_[message].valid()) post(order.at(next++));
  writer_.wait_for(received_[message]);
}

/// Blocking receives of 1F1B are posted when the rank comes to them; others wait from the start.
void PipelineStep::post(std::size_t message) {
  const PipelineMessage& m = messages_.all()[message];
  CollectivePlace place;
  place.phase = m.backward ? Phase::backward : Phase::forward;
  place.stream = stream(false, m.backward, m.from);
  place.name = m.backward ? "receive backward" : "receive forward";
  std::vector<TaskId> after;
  const bool in_turn = blocking_sends_ && layout_.kind != PipelineKind::interleaved;
  if (in_turn) after.push_back(writer_.last_compute());
  TaskId end = writer_.join_call(m.call, place, after);
  if (m.gathered.count > 0) {
    CollectiveCall gather;
    gather.op = CollectiveOp::all_gather;
    gather.family = writer_.family(ParallelGroup::tensor);
    gather.bytes = m.gathered;
    gather.element_bytes = activation_bytes(request_.precision);
    place.name = "gather shares";
    end = writer_.collective(gather, place, {end});
  }
  received_[message] = end;
}

void PipelineStep::send(std::size_t message) {
  const PipelineMessage& m = messages_.all()[message];
  CollectivePlace place;
  place.phase = m.backward ? Phase::backward : Phase::forward;
  place.stream = stream(true, m.backward, m.to);
  place.name = m.backward ? "send backward" : "send forward";
  const TaskId end = writer_.join_call(m.call, place, {writer_.last_compute()});
  if (blocking_sends_) writer_.wait_for(end);
}

std::uint8_t PipelineStep::stream(bool sends, bool backward, std::uint32_t peer) {
  const char* verb = sends ? "send" : "receive";
  const char* what = backward ? "backward" : "forward";
  if (!messages_.several_peers(rank_, sends, backward))
    return writer_.stream(fmt::format("{} {}", verb, what));
  return writer_.stream(fmt::format("{} {} {} {}", verb, what, sends ? "to" : "from", peer));
}

/// First and last part hold the same table and sum its gradients.
void PipelineStep::tied_embedding() {
  const std::uint32_t first = layout_.holder(0, 0), last = layout_.holder(layout_.last_part(), 0);
  const double elements = tied_elements(*request_.model);
  if (elements <= 0 || first == last || layout_.two_ways()) return;
  if (rank_ != first && rank_ != last) return;
  gradients_.tied_embedding(
      writer_.family("embedding", [&] { return writer_.grid().pipeline_pairs(first, last); }),
      elements);
}

BlockTime PipelineStep::time(std::size_t index, PipelineWork work) {
  const Layer& layer = request_.model->layers[index];
  const auto timed = [&](std::span<const Kernel> kernels, Phase phase) {
    return writer_.blocks().time(kernels, phase, rank_);
  };
  if (work == PipelineWork::forward) return timed(layer.forward, Phase::forward);
  if (work == PipelineWork::input_gradient)
    return timed(input_gradient_kernels(layer), Phase::backward);
  BlockTime block = work == PipelineWork::backward
                        ? timed(layer.backward, Phase::backward)
                        : timed(weight_gradient_kernels(layer), Phase::backward);
  double elements = 0;
  for (const Kernel& kernel : layer.backward)
    for (const ParameterId parameter : kernel.completes) elements += writer_.elements(parameter);
  if (elements * writer_.accumulation_bytes() <= 0) return block;
  const Task added = writer_.tasks().memory_task(elements * writer_.accumulation_bytes(),
                                                 Phase::backward);
  BlockTime accumulation;
  accumulation.seconds = added.seconds;
  accumulation.sm_share = added.sm_share;
  accumulation.hbm_bytes = added.hbm_bytes;
  accumulation.host_seconds = request_.host->backward_launch;
  return block + accumulation;
}

BlockTime PipelineStep::time(LayerRange range, PipelineWork work) {
  BlockTime sum;
  for (std::size_t layer = range.first; layer < range.last; ++layer)
    sum = sum + time(layer, work);
  return sum;
}

/// Two passes side by side: the communication of each moves behind the kernels of both, so together
/// they take as long as the kernels of both or the communication of both.
double PipelineStep::stretch(const PipelineAction& first, const PipelineAction& second) {
  const BlockTime a = time(layers(first), first.work), b = time(layers(second), second.work);
  const double together = a.seconds + b.seconds;
  if (together <= 0) return 1;
  const double talking = a.communication_seconds + b.communication_seconds;
  const double working = together - talking;
  return std::max({working, talking, a.seconds, b.seconds}) / together;
}

std::string PipelineStep::name(const PipelineAction& action) const {
  const char* work = "";
  switch (action.work) {
    case PipelineWork::forward:
      work = "forward";
      break;
    case PipelineWork::backward:
      work = "backward";
      break;
    case PipelineWork::input_gradient:
      work = "input gradient";
      break;
    case PipelineWork::weight_gradient:
      work = "weight gradient";
      break;
  }
  const std::string text = fmt::format("mb {} {}", action.micro_batch, work);
  return layout_.chunks(rank_) == 1 ? text : fmt::format("{} chunk {}", text, action.chunk);
}

}  // namespace dsim
