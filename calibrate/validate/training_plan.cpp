#include "calibrate/validate/training_plan.h"

#include <fmt/format.h>

#include <cmath>

#include "calibrate/validate/grades.h"
#include "calibrate/validate/job_rules.h"
#include "calibrate/validate/layouts.h"
#include "calibrate/validate/network_rules.h"
#include "calibrate/validate/source_facts.h"
#include "sim/base/error.h"

namespace dsim {
namespace {

void append(std::string& sentence, std::string_view part) {
  if (part.empty()) return;
  if (!sentence.empty()) sentence += "; ";
  sentence += part;
}

/// Reads the columns in an order in which each needs only those before it.
void read_columns(RowPlan& plan) {
  const RowInputs& row = *plan.row;
  read_strategy(plan);
  read_network(plan);
  plan.hardware = hardware_of(row);
  if (!plan.hardware.assumption.empty()) plan.assume(plan.hardware.assumption);
  read_strategy(plan);  // once more: sizes of groups depend on the machine
  read_parallelism(plan);
  read_recompute(plan);
  read_precision(plan);
  read_optimizer(plan);
  read_batch(plan);
  const bool sequences =
      plan.config || model_kind(plan.network).default_sequence > 0;
  if (sequences) {
    plan.job.sequence = row.count("seq_len", 0);
    if (plan.job.sequence == 0) plan.assume("sequence length not stated");
  }
  if (const std::int64_t cap = bucket_cap_of(row); cap > 0)
    plan.job.training.ddp.bucket_cap = Bytes{cap << 20};
}

void apply_facts(const std::vector<const SourceFact*>& facts, RowPlan& plan, TrainingRow& row) {
  for (const SourceFact* fact : facts) {
    if (fact->set != nullptr) fact->set(plan);
    append(row.facts, fact->says);
    append(row.explanation, fact->explanation);
    if (!fact->ratios_only.empty()) {
      row.status = RowStatus::ratio_only;
      row.obstacle = Obstacle::padding;
      row.reason = fact->ratios_only;
    }
    if (!fact->excluded.empty()) {
      row.status = RowStatus::excluded;
      row.obstacle = Obstacle::excluded;
      row.reason = fact->excluded;
    }
  }
}

int launches(const std::vector<Kernel>& kernels) {
  int count = 0;
  for (const Kernel& kernel : kernels)
    if (kernel.kind != KernelKind::communication) count += kernel.launches;
  return count;
}

/// Host time of a layer as host time of a launch: over the launches that a block has, those that
/// add its gradients up among them. The layer meant is the one with fused softmax (Megatron fuses
/// where batch x heads of a rank is a multiple of four): others launch more and take longer.
void set_launch_seconds(RowPlan& plan) {
  Job& job = plan.job;
  if (plan.layer_forward_seconds <= 0 || !job.kind) return;
  ModelRequest request;
  request.micro_batch = 4;
  request.sequence = job.sequence;
  request.precision = job.precision;
  request.fusion = job.fusion;
  request.attention = job.attention;
  request.half_weights = job.half_weights.value_or(keeps_half_weights(job.training.strategy));
  request.sharding = layer_sharding(job.training);
  const Model model = job.kind->build(*job.kind, request);
  for (const Layer& layer : model.layers) {
    if (layer.role != LayerRole::block) continue;
    job.launch_seconds = plan.layer_forward_seconds / std::max(1, launches(layer.forward));
    job.backward_launch_seconds =
        plan.layer_backward_seconds /
        std::max(1, launches(layer.backward) + static_cast<int>(layer.parameters.size()));
    return;
  }
}

/// Words that make two rows one experiment: all they state but id and notes, which act through the
/// machine, the buckets and the facts alone.
std::string key_of(const RowInputs& inputs, const std::vector<const SourceFact*>& facts,
                   const RowPlan& plan) {
  std::string key = topology_text(plan.hardware);
  for (const std::string& column : inputs.table().columns())
    if (column != "id" && column != "notes" && !is_measured_column(column))
      key += fmt::format("|{}", inputs.text(column));
  for (const SourceFact* fact : facts) key += fmt::format("|{}", fact - source_facts().data());
  return key + fmt::format("|{}", plan.job.training.ddp.bucket_cap.count);
}

void describe(const RowPlan& plan, TrainingRow& row) {
  const Job& job = plan.job;
  row.gpus = plan.hardware.gpus;
  row.topology = plan.hardware.node;
  row.network = job.kind ? std::string(job.kind->name) : job.model;
  row.micro_batch = job.micro_batch;
  row.accumulate = job.training.accumulate;
  row.sequence = job.sequence;
  row.parallel = job.training.parallel;
  row.recompute = job.training.recompute;
  if (plan.config) {
    row.layers = plan.config->layers;
    row.hidden = plan.config->hidden;
  }
  row.kind = job.training.strategy;
  row.framework_kind = job.training.framework;
  row.bucket_cap_mb = bucket_cap_of(*plan.row);
  row.samples = static_cast<double>(job.micro_batch) *
                static_cast<double>(job.training.accumulate) *
                static_cast<double>(job.training.parallel.data);
}

void plan_experiment(RowInputs& inputs, PlannedRow& planned, TopologyShelf& shelf) {
  const TableLayout layout = layout_of(inputs.table());
  if (layout != TableLayout::training && layout != TableLayout::vtrain)
    throw Unpredictable{Obstacle::layout, std::string(title_of(layout))};
  TrainingRow& row = planned.row;
  std::vector<const SourceFact*> facts = facts_of(inputs);
  for (const SourceFact* fact : facts) inputs.fill(fact->column, fact->value);
  facts = facts_of(inputs);  // filled columns may match others
  row.model = inputs.text("model");
  row.gpu = inputs.text("gpu");
  row.precision = inputs.text("precision");
  row.framework = inputs.text("framework");
  row.strategy = inputs.text("strategy");

  RowPlan plan;
  plan.row = &inputs;
  read_columns(plan);
  apply_facts(facts, plan, row);
  finish_network(plan);
  if (plan.job.model.empty()) throw Unpredictable{Obstacle::model, row.model};
  set_launch_seconds(plan);
  append(row.assumptions, plan.assumptions);
  describe(plan, row);

  Experiment experiment;
  experiment.topology = shelf.of(plan.hardware);
  row.gpu_model = experiment.topology->gpu_model();
  plan.job.ranks = ranks_of(plan.hardware);
  planned.key = key_of(inputs, facts, plan);
  planned.memory_measure = plan.memory_measure;
  planned.memory_unit = plan.memory_unit;
  experiment.jobs = {std::move(plan.job)};
  planned.experiment = std::move(experiment);
}

}  // namespace

void RowPlan::assume(std::string_view words) { append(assumptions, words); }

std::string_view name_of(MemoryMeasure measure) {
  switch (measure) {
    case MemoryMeasure::device:
      return "device";
    case MemoryMeasure::reserved:
      return "reserved";
    case MemoryMeasure::allocated:
      return "allocated";
  }
  return "";
}

std::shared_ptr<const Topology> TopologyShelf::of(const Hardware& hardware) {
  const std::string key = fmt::format("{} {}", hardware.gpus, topology_text(hardware));
  auto& topology = built_[key];
  if (!topology) topology = build_topology(hardware);
  return topology;
}

PlannedRow plan_training_row(const RowInputs& given, const std::string& source,
                             TopologyShelf& shelf) {
  PlannedRow plan;
  RowInputs inputs = given;
  TrainingRow& row = plan.row;
  row.source = source;
  row.grade = grade_of(inputs);
  row.line = inputs.line();
  row.id = inputs.text("id");
  if (row.id.empty()) row.id = fmt::format("row {}", row.line);
  row.model = inputs.text("model");
  row.gpu = inputs.text("gpu");
  row.precision = inputs.text("precision");
  row.framework = inputs.text("framework");
  row.strategy = inputs.text("strategy");
  const auto refuse = [&](Obstacle obstacle, std::string reason) {
    plan.experiment.reset();
    row.status = RowStatus::not_predictable;
    row.obstacle = obstacle;
    row.reason = std::move(reason);
  };
  try {
    row.gpus = inputs.count("gpus", 0);
    plan_experiment(inputs, plan, shelf);
  } catch (const Unpredictable& why) {
    refuse(why.obstacle, why.reason);
  } catch (const InputError& error) {
    refuse(Obstacle::simulation, error.what());
  }
  return plan;
}

}  // namespace dsim
