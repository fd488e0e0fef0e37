#include "model/strategy/gradient_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace dsim {

GradientWriter::GradientWriter(StepWriter& writer, const GradientExchange& exchange,
                               std::vector<GradientOwner> owners)
    : writer_(writer),
      exchange_(exchange),
      owners_(std::move(owners)),
      bucket_of_(writer.model().parameters.size(), -1) {
  for (std::size_t owner = 0; owner < owners_.size(); ++owner) {
    fill(owner, false);
    fill(owner, true);
  }
}

/// Cuts the gradients of an owner into buckets in the order in which backward makes them.
void GradientWriter::fill(std::size_t owner, bool expert) {
  const Model& model = writer_.model();
  const LayerRange range = owners_[owner].layers;
  Bucket open;
  open.expert = expert;
  open.owner = owner;
  if (!expert) open.elements = owners_[owner].copied_elements;
  const auto close = [&] {
    if (open.elements <= 0) return;
    open.missing = open.parameters.size();
    for (const ParameterId p : open.parameters)
      bucket_of_[p.index()] = static_cast<std::int32_t>(buckets_.size());
    Bucket next;
    next.expert = expert;
    next.owner = owner;
    buckets_.push_back(std::exchange(open, next));
  };
  for (std::size_t layer = range.last; layer-- > range.first;) {
    for (const Kernel& kernel : model.layers[layer].backward)
      for (const ParameterId p : kernel.completes) {
        const Parameter& parameter = model.parameters[p.index()];
        if (parameter.expert != expert) continue;
        open.parameters.push_back(p);
        open.elements += static_cast<double>(parameter.elements);
        if (open.elements >= exchange_.bucket_elements) close();
      }
    if (exchange_.bucket_by_layer) close();
  }
  close();
}

void GradientWriter::begin_step() {
  if (exchange_.main_gradients)
    writer_.memory(exchange_.gradient_bytes * local_elements(), Phase::optimizer,
                   "clear gradients", writer_.request().host->optimizer_launch);
  if (!exchange_.shard || !exchange_.overlap_gather) return;
  // Forward runs the other way through the buckets of each owner.
  for (std::size_t first = 0; first < buckets_.size();) {
    std::size_t last = first;
    while (last < buckets_.size() && buckets_[last].owner == buckets_[first].owner) ++last;
    for (std::size_t b = last; b-- > first;) buckets_[b].gathered = gather(b, Phase::forward);
    first = last;
  }
}

void GradientWriter::before_forward(std::size_t layer) {
  for (const Kernel& kernel : writer_.model().layers[layer].backward)
    for (const ParameterId p : kernel.completes)
      if (const std::int32_t b = bucket_of_[p.index()]; b >= 0)
        writer_.wait_for(std::exchange(buckets_[static_cast<std::size_t>(b)].gathered, {}));
}

void GradientWriter::gradient_ready(ParameterId parameter) {
  if (!exchange_.overlap_reduce || bucket_of_[parameter.index()] < 0) return;
  const auto b = static_cast<std::size_t>(bucket_of_[parameter.index()]);
  if (--buckets_[b].missing == 0) reduce(b);
}

/// Scales a bucket (DDP: copies it together) and starts its reduction.
void GradientWriter::reduce(std::size_t index) {
  Bucket& bucket = buckets_[index];
  bucket.started = true;
  const CollectiveCall request =
      call(bucket, exchange_.shard ? CollectiveOp::reduce_scatter : CollectiveOp::all_reduce,
           exchange_.gradient_bytes);
  if (!request.family.valid()) return;
  writer_.memory(2 * exchange_.gradient_bytes * bucket.elements, Phase::backward,
                 exchange_.main_gradients ? "scale gradients" : "copy to bucket",
                 writer_.request().host->bucket_copy, static_cast<std::int32_t>(index));
  bucket.reduced = writer_.collective(
      request, place(index, Phase::backward, exchange_.shard ? "reduce-scatter" : "all-reduce"),
      {writer_.last_compute()});
}

void GradientWriter::finish() {
  for (std::size_t b = 0; b < buckets_.size(); ++b)
    if (!buckets_[b].started) reduce(b);
  bool waits = false;
  for (const Bucket& bucket : buckets_) {
    writer_.wait_for(bucket.reduced);
    waits |= bucket.reduced.valid();
  }
  if (waits) writer_.join(Phase::backward, "wait for gradients");
}

void GradientWriter::tied_embedding(FamilyId pairs, double elements) {
  CollectiveCall request;
  request.family = pairs;
  request.element_bytes = static_cast<int>(exchange_.gradient_bytes);
  request.bytes = Bytes{static_cast<std::int64_t>(exchange_.gradient_bytes * elements)};
  CollectivePlace at;
  at.phase = Phase::backward;
  at.name = "all-reduce tied embedding";
  at.key = at.name;
  at.stream = writer_.stream("tied embedding");
  writer_.wait_for(writer_.collective(request, at, {writer_.last_compute()}));
}

void GradientWriter::sequence_parallel_norms() {
  double elements = 0;
  const Model& model = writer_.model();
  for (const GradientOwner& owner : owners_)
    for (std::size_t l = owner.layers.first; l < owner.layers.last; ++l)
      for (const Kernel& kernel : model.layers[l].backward)
        for (const ParameterId p : kernel.completes) {
          const Parameter& parameter = model.parameters[p.index()];
          if (!parameter.expert && parameter.shape.size() == 1 &&
              parameter.elements == parameter.whole_elements)
            elements += static_cast<double>(parameter.elements);
        }
  CollectiveCall request;
  request.family = writer_.family(ParallelGroup::tensor);
  request.element_bytes = static_cast<int>(exchange_.gradient_bytes);
  request.bytes = Bytes{static_cast<std::int64_t>(exchange_.gradient_bytes * elements)};
  if (!request.family.valid() || request.bytes.count == 0) return;
  CollectivePlace at;
  at.phase = Phase::backward;
  at.name = "all-reduce norm gradients";
  at.stream = writer_.stream("tensor parallel");
  writer_.wait_for(writer_.collective(request, at, {writer_.last_compute()}));
}

void GradientWriter::update(bool model_parallel) {
  if (writer_.request().options.clip_gradients)
    writer_.clip_gradients(owned_elements(), exchange_.gradient_bytes,
                           exchange_.shard || model_parallel ? writer_.all_ranks() : FamilyId{});
  writer_.optimizer(owned_elements());
  if (!exchange_.shard || exchange_.overlap_gather) return;
  bool waits = false;
  for (std::size_t b = 0; b < buckets_.size(); ++b) {
    const TaskId gathered = gather(b, Phase::optimizer);
    waits |= gathered.valid();
    writer_.wait_for(gathered);
  }
  if (waits) writer_.join(Phase::optimizer, "wait for parameters");
}

TaskId GradientWriter::gather(std::size_t index, Phase phase) {
  const CollectiveCall request =
      call(buckets_[index], CollectiveOp::all_gather, exchange_.parameter_bytes);
  if (!request.family.valid()) return {};
  std::vector<TaskId> after;
  if (writer_.last_compute().valid()) after.push_back(writer_.last_compute());
  return writer_.collective(request, place(index, phase, "all-gather"), after);
}

double GradientWriter::local_elements() const {
  double sum = 0;
  for (const Bucket& bucket : buckets_) sum += bucket.elements;
  return sum;
}

double GradientWriter::owned_elements() const {
  if (!exchange_.shard) return local_elements();
  double sum = 0;
  for (const Bucket& bucket : buckets_) {
    const GradientOwner& owner = owners_[bucket.owner];
    sum += bucket.elements / (bucket.expert ? owner.expert_ranks : owner.dense_ranks);
  }
  return sum;
}

CollectiveCall GradientWriter::call(const Bucket& bucket, CollectiveOp op,
                                    double element_bytes) const {
  const GradientOwner& owner = owners_[bucket.owner];
  CollectiveCall request;
  request.op = op;
  request.family = bucket.expert ? owner.expert : owner.dense;
  request.element_bytes = static_cast<int>(element_bytes);
  request.bytes = Bytes{static_cast<std::int64_t>(element_bytes * bucket.elements)};
  request.bucket = static_cast<std::int32_t>(&bucket - buckets_.data());
  return request;
}

CollectivePlace GradientWriter::place(std::size_t index, Phase phase, const char* what) {
  const Bucket& bucket = buckets_[index];
  CollectivePlace at;
  at.phase = phase;
  at.name = fmt::format("{} bucket {}", what, index);
  if (bucket.expert) at.stream = writer_.stream("expert gradients");
  if (!owners_[bucket.owner].key.empty())
    at.key = fmt::format("{} of {}{}", what, owners_[bucket.owner].key,
                         bucket.expert ? ", experts" : "");
  return at;
}

}  // namespace dsim
