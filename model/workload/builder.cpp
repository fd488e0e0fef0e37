#include "model/workload/builder.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "sim/base/error.h"

namespace dsim {
namespace {

constexpr std::int64_t largest_micro_batch = std::int64_t{1} << 20;

template <class T>
void move_to_end(std::vector<T>& from, std::vector<T>& to) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

}  // namespace

ModelRequest resolved(const ModelKind& kind, const ModelRequest& request,
                      std::int64_t longest_sequence) {
  ModelRequest result = request;
  if (result.micro_batch == 0) result.micro_batch = kind.default_micro_batch;
  if (result.micro_batch < 1 || result.micro_batch > largest_micro_batch)
    throw InputError(fmt::format("{}: micro-batch {} is out of range (1 to {})", kind.name,
                                 request.micro_batch, largest_micro_batch));
  if (longest_sequence == 0) {
    if (request.sequence != 0)
      throw InputError(fmt::format("{}: takes images, so a sequence length ({}) means nothing here",
                                   kind.name, request.sequence));
    return result;
  }
  if (result.sequence == 0) result.sequence = kind.default_sequence;
  if (result.sequence < 1 || result.sequence > longest_sequence)
    throw InputError(
        fmt::format("{}: sequence length {} is out of range (1 to {}, the size of its "
                    "position table)",
                    kind.name, request.sequence, longest_sequence));
  return result;
}

void require_whole(const ModelKind& kind, const LayerSharding& sharding) {
  for (const auto& [name, ranks] : {std::pair{"tensor", sharding.tensor},
                                    {"context", sharding.context},
                                    {"expert", sharding.expert}})
    if (ranks > 1)
      throw InputError(fmt::format("{}: {} parallelism ({}) is not available for this network",
                                   kind.name, name, ranks));
}

ModelBuilder::ModelBuilder(const ModelKind& kind, const ModelRequest& request, std::string title)
    : request_(request) {
  model_.name = std::string(kind.name);
  model_.title = std::move(title);
  model_.samples = request.micro_batch;
  model_.tokens_per_sample = request.sequence;
  model_.sample_unit = request.sequence > 0 ? "sequences" : "images";
}

double ModelBuilder::activation_bytes() const { return dsim::activation_bytes(request_.precision); }

double ModelBuilder::operand_bytes() const { return element_bytes(request_.precision); }

bool ModelBuilder::casts_weights() const {
  return dsim::casts_weights(request_.precision) && !request_.half_weights;
}

ParameterId ModelBuilder::parameter(std::string name, std::vector<std::int64_t> shape,
                                    std::int64_t whole_elements, bool expert) {
  std::int64_t elements = 1;
  for (const std::int64_t extent : shape) elements *= extent;
  if (whole_elements == 0) whole_elements = elements;
  model_.parameters.push_back(
      {std::move(name), std::move(shape), elements, whole_elements, expert});
  const ParameterId id(model_.parameters.size() - 1);
  if (!model_.layers.empty()) model_.layers.back().parameters.push_back(id);
  return id;
}

std::int64_t ModelBuilder::elements(ParameterId id) const {
  return model_.parameters.at(id.index()).elements;
}

void ModelBuilder::begin_layer(std::string name, LayerRole role) {
  model_.layers.push_back({});
  model_.layers.back().name = std::move(name);
  model_.layers.back().role = role;
  operations_.emplace_back();
}

void ModelBuilder::append(Operation operation) {
  require(!operations_.empty(), "ModelBuilder::append: no layer has begun");
  for (auto* kernels : {&operation.forward, &operation.backward})
    for (Kernel& kernel : *kernels) {
      if (kernel.kind == KernelKind::attention) kernel.attention = request_.attention;
      if (kernel.kind == KernelKind::gemm && kernel.pass == Pass::wgrad)
        kernel.accumulates = request_.sharding.fused_gradient_accumulation;
    }
  operations_.back().push_back(std::move(operation));
}

Model ModelBuilder::finish() {
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    Layer& layer = model_.layers[i];
    if (i > 0 && layer.input_bytes == 0) layer.input_bytes = model_.layers[i - 1].output_bytes;
    for (Operation& operation : operations_[i]) {
      move_to_end(operation.forward, layer.forward);
      layer.saved_bytes += operation.saved_bytes;
      layer.core_attention_bytes += operation.core_attention_bytes;
      model_.model_flops += 3 * operation.model_flops;
    }
    for (auto operation = operations_[i].rbegin(); operation != operations_[i].rend(); ++operation)
      move_to_end(operation->backward, layer.backward);
  }
  operations_.clear();
  return std::move(model_);
}

}  // namespace dsim
