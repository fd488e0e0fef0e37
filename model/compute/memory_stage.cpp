#include "model/compute/memory_stage.h"

#include <algorithm>

#include "model/strategy/pipeline_schedule.h"

namespace dsim {
namespace {

/// Largest transient of the backward pass of a block beside what is computed again: gradients of
/// the widest result of a GEMM, of what it is made from and of what is made from it.
double gradient_workspace(const Model& model, const Layer& layer, int element_bytes) {
  double widest = 0;
  for (const Kernel& kernel : layer.forward)
    if (kernel.kind == KernelKind::gemm)
      widest = std::max(widest, static_cast<double>(kernel.m) * static_cast<double>(kernel.n) *
                                    static_cast<double>(kernel.batch));
  return std::min(model.workspace_bytes, 3 * element_bytes * widest);
}

/// Elements of the tensor that a head shares with the input embedding.
double tied_elements(const Model& model) {
  double largest = 0;
  for (const Layer& layer : model.layers)
    if (layer.role == LayerRole::embedding)
      for (const ParameterId id : layer.parameters)
        largest = std::max(largest, static_cast<double>(model.parameters[id.index()].elements));
  return largest;
}

ChunkContents contents(const Model& model, const LayerRange& range, bool whole, int element_bytes) {
  ChunkContents chunk;
  bool has_head = false, has_embedding = false;
  const auto add = [&chunk](const Parameter& parameter) {
    const auto elements = static_cast<double>(parameter.elements);
    (parameter.expert ? chunk.expert : chunk.dense) += elements;
    chunk.largest_tensor = std::max(chunk.largest_tensor, elements);
    return elements;
  };
  if (whole)  // some networks do not say which layer a parameter belongs to
    for (const Parameter& parameter : model.parameters) add(parameter);
  double in_blocks = 0;
  for (std::size_t i = range.first; i < range.last; ++i) {
    const Layer& layer = model.layers[i];
    double unit = 0;
    for (const ParameterId id : layer.parameters) {
      const Parameter& parameter = model.parameters[id.index()];
      unit += whole ? static_cast<double>(parameter.elements) : add(parameter);
    }
    chunk.saved += layer.saved_bytes;
    if (layer.role == LayerRole::head) {
      has_head = true;
      for (const ParameterId id : layer.parameters)
        chunk.head_tensor =
            std::max(chunk.head_tensor, static_cast<double>(model.parameters[id.index()].elements));
      chunk.head_saved += layer.saved_bytes;
    } else {
      chunk.block_workspace =
          std::max(chunk.block_workspace, gradient_workspace(model, layer, element_bytes));
    }
    if (layer.role == LayerRole::block) {
      in_blocks += unit;
      chunk.largest_unit = std::max(chunk.largest_unit, unit);
    } else {
      has_embedding = has_embedding || layer.role == LayerRole::embedding;
    }
  }
  if (has_head && model.tied_embeddings) {
    chunk.head_tensor = std::max(chunk.head_tensor, tied_elements(model));
    if (!has_embedding) chunk.dense += tied_elements(model);
  }
  chunk.ends = std::max(0.0, chunk.dense + chunk.expert - in_blocks);
  chunk.block_workspace += model.recompute_bytes;
  // A network without a head of its own has its largest transient anywhere.
  if (has_head || whole) chunk.head_workspace = model.workspace_bytes;
  return chunk;
}

/// Walks through what a rank does: sets the most that is kept, and the worst transient above it.
void play(const std::vector<PipelineAction>& actions, StageContents& stage) {
  double held = 0, peak = 0;
  for (const PipelineAction& action : actions) {
    const ChunkContents& chunk = stage.chunks[static_cast<std::size_t>(action.chunk)];
    if (action.work == PipelineWork::forward) {
      held += chunk.saved;
      stage.activations = std::max(stage.activations, held);
      continue;
    }
    peak = std::max(
        {peak, held + chunk.head_workspace, held - chunk.head_saved + chunk.block_workspace});
    if (action.work != PipelineWork::input_gradient) held -= chunk.saved;
  }
  stage.workspace = std::max(0.0, peak - stage.activations);
}

void sum_chunks(StageContents& stage) {
  for (const ChunkContents& chunk : stage.chunks) {
    stage.dense += chunk.dense;
    stage.expert += chunk.expert;
    stage.ends += chunk.ends;
    stage.largest_unit = std::max(stage.largest_unit, chunk.largest_unit);
    stage.head_tensor = std::max(stage.head_tensor, chunk.head_tensor);
    stage.largest_tensor = std::max(stage.largest_tensor, chunk.largest_tensor);
  }
}

/// In flight saturates: more micro-batches than these change nothing, but for GPipe.
std::int64_t enough_micro_batches(PipelineKind kind, std::uint32_t ranks, std::int64_t accumulate) {
  return kind == PipelineKind::gpipe ? accumulate
                                     : std::min<std::int64_t>(accumulate, 4 * std::int64_t{ranks});
}

}  // namespace

std::vector<StageContents> stage_contents(const Model& model, const TrainingOptions& options,
                                          const Parallelism& parallelism, int element_bytes) {
  if (parallelism.pipeline == 1) {
    StageContents stage;
    stage.chunks = {contents(model, {0, model.layers.size()}, true, element_bytes)};
    sum_chunks(stage);
    play({{PipelineWork::forward, 0, 0}, {PipelineWork::backward, 0, 0}}, stage);
    return {stage};
  }
  const PipelineSchedule schedule = pipeline_schedule(
      options.schedule, parallelism.pipeline, parallelism.chunks,
      enough_micro_batches(options.schedule, parallelism.pipeline, options.accumulate));
  const auto parts =
      cut_into_parts(model, static_cast<std::uint32_t>(schedule.paths.front().size()), true);
  std::vector<StageContents> stages(parallelism.pipeline);
  // Megatron frees the data of an output once it is sent (deallocate_pipeline_outputs); other
  // engines keep it until backward.
  const bool keeps_outputs = options.strategy != Strategy::megatron;
  for (const auto& path : schedule.paths)
    for (std::size_t i = 0; i < path.size(); ++i) {
      auto& chunks = stages[path[i].rank].chunks;
      const auto chunk = static_cast<std::size_t>(path[i].chunk);
      chunks.resize(std::max(chunks.size(), chunk + 1));
      chunks[chunk] = contents(model, parts[i], false, element_bytes);
      if (keeps_outputs && i + 1 < path.size())
        chunks[chunk].saved += model.layers[parts[i].last - 1].output_bytes;
    }
  for (std::size_t rank = 0; rank < stages.size(); ++rank) {
    sum_chunks(stages[rank]);
    play(schedule.ranks[rank], stages[rank]);
  }
  return stages;
}

}  // namespace dsim
