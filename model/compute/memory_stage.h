#pragma once
// What one pipeline rank holds of a network, and the activations of its micro-batches in flight.
#include <vector>

#include "model/strategy/parallelism.h"
#include "model/strategy/training.h"

namespace dsim {

/// Elements of parameters and bytes of activations of one chunk of a pipeline rank.
struct ChunkContents {
  double dense = 0, expert = 0;  ///< elements; a second copy of tied embeddings included
  double largest_unit = 0;       ///< elements of the largest block: dense and expert
  double ends = 0;               ///< elements outside blocks: embeddings and head
  double largest_tensor = 0;     ///< elements
  double head_tensor = 0;        ///< elements of the largest that the head reads; 0 = no head
  double saved = 0;              ///< activations a micro-batch keeps until backward
  double head_saved = 0;         ///< of them, those of the head: gone once it has run backward
  double head_workspace = 0;     ///< largest transient of the head
  double block_workspace = 0;    ///< of a block: what is computed again, gradients of activations
};

struct StageContents {
  std::vector<ChunkContents> chunks;
  double dense = 0, expert = 0, largest_unit = 0, ends = 0, largest_tensor = 0,
         head_tensor = 0;  ///< of all chunks
  double activations = 0;  ///< most that is kept at a time
  double workspace = 0;    ///< on top, at the worst time
};

/// By pipeline rank. `element_bytes`: of an activation.
std::vector<StageContents> stage_contents(const Model& model, const TrainingOptions& options,
                                          const Parallelism& parallelism, int element_bytes);

}  // namespace dsim
