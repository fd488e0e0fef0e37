#include "calibrate/validate/training_plan.h"

#include <fmt/format.h>

#include <cmath>

#include "calibrate/validate/layouts.h"
#include "calibrate/validate/model_rules.h"
#include "calibrate/validate/source_facts.h"

namespace dsim {
namespace {

void append(std::string& sentence, std::string_view part) {
  if (part.empty()) return;
  if (!sentence.empty()) sentence += "; ";
  sentence += part;
}

/// Sets micro-batch and accumulation. The global batch is trusted before either of its factors,
/// because throughput follows from it; the micro-batch before the accumulation, because memory
/// shows it.
void plan_batch(const RowInputs& inputs, Job& job, PlannedRow& plan) {
  TrainingRow& row = plan.row;
  const std::int64_t global = inputs.count("global_batch", 0);
  const std::int64_t printed_micro = inputs.count("micro_batch", 0);
  const std::int64_t printed_accumulate = inputs.count("grad_accum", 0);
  std::int64_t micro = printed_micro, accumulate = std::max<std::int64_t>(printed_accumulate, 1);

  if (global > 0) {
    if (global % row.gpus != 0)
      throw Unpredictable{
          Obstacle::batch,
          fmt::format("global batch {} is not a multiple of {} GPUs", global, row.gpus)};
    const std::int64_t share = global / row.gpus;
    if (micro > 0 && share % micro == 0) {
      accumulate = share / micro;
    } else if (share % accumulate == 0) {
      micro = share / accumulate;
    } else {
      throw Unpredictable{
          Obstacle::batch,
          fmt::format("{} samples a GPU are not micro-batches of {}", share, micro)};
    }
    if (printed_micro > 0 && micro != printed_micro)
      append(row.assumptions,
             fmt::format("micro-batch {} printed, {} follows from the global batch", printed_micro,
                         micro));
    if (printed_accumulate > 0 && accumulate != printed_accumulate)
      append(row.assumptions,
             fmt::format("accumulation {} printed, {} follows from the global batch",
                         printed_accumulate, accumulate));
  }
  if (micro == 0) throw Unpredictable{Obstacle::batch, "not stated"};
  if (micro > 1'000'000 || accumulate > 1'000'000)
    throw Unpredictable{Obstacle::batch, fmt::format("{} x {} samples a GPU", micro, accumulate)};

  job.micro_batch = row.micro_batch = micro;
  job.training.accumulate = row.accumulate = accumulate;
  row.samples =
      static_cast<double>(micro) * static_cast<double>(accumulate) * static_cast<double>(row.gpus);
}

void apply_facts(const RowInputs& inputs, Job& job, TrainingRow& row) {
  for (const SourceFact* fact : facts_of(inputs)) {
    if (fact->fusion) job.fusion = *fact->fusion;
    if (fact->flash_attention)
      job.attention = *fact->flash_attention ? AttentionKernel::automatic : AttentionKernel::unfused;
    if (fact->broadcast_buffers) job.training.ddp.broadcast_buffers = *fact->broadcast_buffers;
    if (fact->gradient_as_bucket_view)
      job.training.ddp.gradient_as_bucket_view = *fact->gradient_as_bucket_view;
    if (fact->reduce_in_half && *fact->reduce_in_half) job.training.ddp.compression = Compression::fp16;
    if (fact->single_bucket && *fact->single_bucket) {
      constexpr Bytes everything = 1024_GiB;  // more than any GPU's gradients
      job.training.ddp.bucket_cap = job.training.ddp.first_bucket = everything;
    }
    if (!fact->ratios_only.empty()) {
      row.status = RowStatus::ratio_only;
      row.obstacle = Obstacle::padding;
      row.reason = fact->ratios_only;
    }
    append(row.explanation, fact->explanation);
  }
}

Experiment experiment_of(const RowInputs& inputs, PlannedRow& plan, TopologyShelf& shelf) {
  TrainingRow& row = plan.row;
  if (layout_of(inputs.table()) != TableLayout::training)
    throw Unpredictable{Obstacle::layout, std::string(title_of(layout_of(inputs.table())))};
  Job job;
  require_data_parallel(inputs);
  job.fusion = fusion_of(inputs);
  if (!flash_attention_of(inputs)) job.attention = AttentionKernel::unfused;
  job.model = model_of(inputs);
  if (const auto precision = precision_of(inputs)) {
    job.precision = *precision;
    job.precision_given = true;
  } else {
    append(row.assumptions, "precision not stated");
  }
  job.optimizer = optimizer_of(inputs);
  if (inputs.text("optimizer").empty()) append(row.assumptions, "optimizer not stated");
  if (model_kind(job.model).default_sequence > 0) {
    job.sequence = row.sequence = inputs.count("seq_len", 0);
    if (job.sequence == 0) append(row.assumptions, "sequence length not stated");
  }
  const Hardware hardware = hardware_of(inputs);
  row.gpus = hardware.gpus;
  plan_batch(inputs, job, plan);
  if (const std::int64_t cap = bucket_cap_of(inputs); cap > 0) {
    job.training.ddp.bucket_cap = Bytes{cap << 20};
    row.bucket_cap_mb = cap;
  }
  apply_facts(inputs, job, row);

  Experiment experiment;
  experiment.topology = shelf.of(hardware);
  experiment.jobs = {job};
  row.topology = hardware.node;
  return experiment;
}

}  // namespace

std::shared_ptr<const Topology> TopologyShelf::of(const Hardware& hardware) {
  const std::string key = fmt::format("{} {}", hardware.gpus, topology_text(hardware));
  auto& topology = built_[key];
  if (!topology) topology = build_topology(hardware);
  return topology;
}

PlannedRow plan_training_row(const RowInputs& inputs, const std::string& source,
                             TopologyShelf& shelf) {
  PlannedRow plan;
  TrainingRow& row = plan.row;
  row.source = source;
  row.line = inputs.line();
  row.id = inputs.text("id");
  if (row.id.empty()) row.id = fmt::format("row {}", row.line);
  row.model = inputs.text("model");
  row.gpu = inputs.text("gpu");
  row.precision = inputs.text("precision");
  row.framework = inputs.text("framework");
  row.strategy = inputs.text("strategy");
  try {
    row.gpus = inputs.count("gpus", 0);
    plan.experiment = experiment_of(inputs, plan, shelf);
  } catch (const Unpredictable& why) {
    row.status = RowStatus::not_predictable;
    row.obstacle = why.obstacle;
    row.reason = why.reason;
  }
  return plan;
}

}  // namespace dsim
