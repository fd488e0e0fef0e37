#pragma once
// dsim's own description of a network, "dsim.layers/1": layers of operations by their dimensions.
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "model/workload/model.h"
#include "model/workload/transformer/config.h"
#include "sim/base/json.h"

namespace dsim {

/// A dense layer over `rows` rows a sample.
struct LinearSpec {
  std::int64_t inputs = 0, outputs = 0, rows = 0;
  bool bias = true;
};
/// softmax(Q K^T) V over the sequence.
struct AttentionSpec {
  std::int64_t heads = 0, kv_heads = 0, head_size = 0;
  bool causal = true;
};
struct ConvolutionSpec {
  std::int64_t inputs = 0, outputs = 0, side = 0, kernel = 1, stride = 1, groups = 1;
};
struct NormSpec {
  std::int64_t width = 0, rows = 0;
  NormKind kind = NormKind::layer_norm;
};
struct BatchNormSpec {
  std::int64_t channels = 0, side = 0;
};
struct EmbeddingSpec {
  std::int64_t entries = 0, width = 0, rows = 0;  ///< rows: lookups a sample
};
/// `forward` and `backward` reads or writes of each element of `width` x `rows`.
struct ElementwiseSpec {
  std::int64_t width = 0, rows = 0;
  double forward = 2, backward = 3;
  bool saved = true;  ///< its input is kept for backward
};
/// `batch` products a sample of activations, without parameters.
struct ProductSpec {
  std::int64_t m = 0, n = 0, k = 0, batch = 1;
};
/// HBM bytes a sample.
struct MemorySpec {
  double forward = 0, backward = 0, saved = 0;
};
/// Cross-entropy over `classes` of `rows` rows a sample.
struct LossSpec {
  std::int64_t classes = 0, rows = 0;
};
using OperationSpec =
    std::variant<LinearSpec, AttentionSpec, ConvolutionSpec, NormSpec, BatchNormSpec, EmbeddingSpec,
                 ElementwiseSpec, ProductSpec, MemorySpec, LossSpec>;

struct NamedOperation {
  std::string name;
  OperationSpec spec;
};

struct LayerSpec {
  std::string name;
  LayerRole role = LayerRole::block;
  std::int64_t repeat = 1;
  double output_bytes = 0;  ///< a sample; what a pipeline sends on
  std::vector<NamedOperation> operations;
};

struct LayerFile {
  std::string name, title, help, optimizer;
  std::string sample_unit;       ///< "sequences", "images", "samples"
  std::int64_t micro_batch = 1;  ///< default
  std::int64_t sequence = 0;     ///< default; 0 = samples have no tokens
  double input_bytes = 0;        ///< a sample, from host to GPU
  std::vector<LayerSpec> layers;
};

/// The format that a layer file states under "format".
inline constexpr std::string_view layer_format = "dsim.layers/1";

/// The model of a layer file. InputError with file:line:col.
std::shared_ptr<const ModelKind> layer_model(const json::Value& root);

/// Builds what `kind.layers` describes.
Model build_layers(const ModelKind& kind, const ModelRequest& request);

}  // namespace dsim
