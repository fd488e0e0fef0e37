#pragma once
// The door of the strategies: from a network and options to programs.
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "model/calibration.h"
#include "model/compute/gpu.h"
#include "model/strategy/bucket.h"
#include "model/strategy/host.h"
#include "model/strategy/optimizer.h"
#include "model/strategy/options.h"
#include "model/workload/model.h"
#include "model/workload/program.h"

namespace dsim {

/// A run of kernels, communications inside them included, as one rank sees it when nothing else
/// runs.
struct BlockTime {
  double seconds = 0;
  double communication_seconds = 0;  ///< of `seconds`: no kernel ran
  double host_seconds = 0;           ///< to issue all of it
  double sm_share = 0, hbm_bytes = 0;
};

/// Times a block on the engine, so that overlap inside it is simulated: given by whoever owns one.
/// `stage` is the pipeline rank whose groups communicate.
using BlockTimer =
    std::function<BlockTime(std::span<const Kernel> kernels, Phase phase, std::uint32_t stage)>;

/// What the programs of a job need to know.
struct TrainingRequest {
  const Model* model = nullptr;  ///< the whole network, shapes of one tensor/context/expert rank,
                                 ///< recomputation applied
  Precision precision = Precision::bf16;
  const Gpu* gpu = nullptr;
  const ComputeConstants* compute = nullptr;
  const HostConstants* host = nullptr;
  const OptimizerKind* optimizer = nullptr;
  TrainingOptions options;
  std::uint32_t ranks = 1;
  std::uint32_t ranks_per_node = 1;  ///< of the first node; ranks are packed
  double input_seconds = 0;  ///< host-to-device copy of a micro-batch
  BlockTimer time_block;     ///< needed by programs that merge kernels
  /// See ModelRequest::half_weights; empty = as the strategy keeps them.
  std::optional<bool> half_weights;
  /// rank, factor > 1 = slower; each distinct factor makes a rank class of its own.
  std::vector<std::pair<std::uint32_t, double>> stragglers;
};

/// Whether weights and gradients of a job are held in 16 bits.
bool holds_half_weights(const TrainingRequest& request);
/// Bytes of an element of the gradient that backward makes.
double gradient_element_bytes_of(const TrainingRequest& request);

/// Layers [first, last) of a model that a chunk of a pipeline rank holds.
struct LayerRange {
  std::size_t first = 0, last = 0;
};

/// Cuts the blocks of a model into `parts` runs of equal numbers; embedding layers join the first,
/// head layers the last. Where blocks do not divide, InputError unless `uneven`: then the
/// first and last parts get fewer. By part in forward order.
std::vector<LayerRange> cut_into_parts(const Model& model, std::uint32_t parts, bool uneven);

/// The workload of one optimizer step. Dispatches on options.strategy and framework. InputError:
/// combinations that cannot be, with the rule they break.
Workload training_workload(const TrainingRequest& request);

}  // namespace dsim
