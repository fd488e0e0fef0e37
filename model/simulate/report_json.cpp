#include "model/simulate/report_json.h"

#include "model/simulate/report_campaign.h"

#include <array>
#include <cmath>
#include <optional>
#include <string_view>

#include "sim/base/json_writer.h"

namespace dsim {
namespace {

void write_what(JsonWriter& json, const Report& r) {
  json.text("model", r.model_name);
  json.text("model_title", r.model_title);
  json.whole("parameters", r.parameters);
  json.text("topology", r.topology);
  json.text("gpu", r.gpu_title);
  json.whole("gpus", r.gpus);
  json.whole("nodes", r.nodes);
  json.text("framework", r.framework);
  json.text("precision", r.precision);
  json.text("optimizer", r.optimizer);
  json.begin("parallel");
  json.whole("tensor", r.parallel.tensor);
  json.whole("context", r.parallel.context);
  json.whole("expert", r.parallel.expert);
  json.whole("pipeline", r.parallel.pipeline);
  json.whole("chunks", r.parallel.chunks);
  json.whole("data", r.parallel.data);
  json.end();
  json.whole("micro_batch", r.micro_batch);
  json.whole("accumulate", r.accumulate);
  json.whole("global_batch", r.global_batch());
  json.whole("sequence", r.sequence);
  json.text("fidelity", r.fidelity);
  json.whole("rank_classes", r.rank_classes);
  json.text_or_null("collective", r.collective);
}

void write_answer(JsonWriter& json, const Report& r) {
  json.number("step_time_s", r.step_time_s);
  json.number("step_time_low_s", r.step_time_low_s);
  json.number("step_time_high_s", r.step_time_high_s);
  json.number("compute_s", r.parts.forward_s + r.parts.backward_s);
  json.number("forward_s", r.parts.forward_s);
  json.number("backward_s", r.parts.backward_s);
  json.number("optimizer_s", r.parts.optimizer_s);
  json.number("exposed_communication_s", r.parts.exposed_communication_s);
  json.number("bubble_s", r.parts.bubble_s);
  json.number("launch_s", r.parts.launch_s);
  json.number("input_s", r.parts.input_s);
  json.number("wait_s", r.parts.wait_s);
  json.number("communication_s", r.communication_s);
  json.number("throughput", r.throughput);
  json.text("throughput_unit", r.sample_unit + "/s");
  json.number("tokens_per_s", r.tokens_per_s > 0 ? std::optional(r.tokens_per_s) : std::nullopt);
  json.number("mfu", r.mfu);
  json.text("mfu_formula", r.mfu_formula);
  json.number("scaling_efficiency", r.scaling_efficiency);
  json.text_or_null("scaling_efficiency_reason", r.scaling_efficiency_reason);
  json.number("scaling_efficiency_node", r.scaling_efficiency_node);
}

void write_memory(JsonWriter& json, const Report& r) {
  const MemoryFootprint& m = r.memory;
  json.bytes("peak_memory_bytes", m.total());
  json.bytes("memory_capacity_bytes", m.capacity);
  json.flag("fits", m.fits());
  json.begin("memory");
  json.bytes("parameters_bytes", m.parameters);
  json.bytes("gradients_bytes", m.gradients);
  json.bytes("optimizer_bytes", m.optimizer);
  json.bytes("activations_bytes", m.activations);
  json.bytes("buckets_bytes", m.buckets);
  json.bytes("gathered_bytes", m.gathered);
  json.bytes("workspace_bytes", m.workspace);
  json.bytes("context_bytes", m.context);
  json.end();
  json.text_or_null("memory_advice", r.memory_advice);
  json.begin_list("memory_by_stage");
  for (const MemoryFootprint& stage : r.memory_by_stage) {
    json.begin();
    json.bytes("total_bytes", stage.total());
    json.bytes("activations_bytes", stage.activations);
    json.end();
  }
  json.end_list();
}

void write_why(JsonWriter& json, const Report& r) {
  json.begin("bottleneck");
  json.text("resource", r.bottleneck.resource);
  json.number("load", r.bottleneck.load);
  json.number("load_backward", r.bottleneck.load_backward);
  json.text_or_null("sentence", r.bottleneck_sentence);
  json.end();
  json.begin_list("loads");
  for (const ResourceLoad& load : r.loads) {
    json.begin();
    json.text("resource", load.resource);
    json.number("load", load.load);
    json.number("load_backward", load.load_backward);
    json.end();
  }
  json.end_list();
  json.bytes("gradient_bytes", r.gradient_bytes);
  json.begin_list("buckets");
  for (const BucketReport& bucket : r.buckets) {
    json.begin();
    json.whole("elements", bucket.elements);
    json.bytes("bytes", bucket.bytes);
    json.number("ready_s", bucket.ready_s);
    json.number("start_s", bucket.start_s);
    json.number("end_s", bucket.end_s);
    json.end();
  }
  json.end_list();
  json.begin_list("elasticities");
  for (const Elasticity& elasticity : r.elasticities) {
    json.begin();
    json.text("name", elasticity.name);
    json.text("change", elasticity.change);
    json.number("step_time_s", elasticity.step_time_s);
    json.number("relative", elasticity.relative);
    json.text("kind", elasticity.is_constant ? "constant" : "change");
    json.end();
  }
  json.end_list();
}

void write_inputs(JsonWriter& json, const Report& r) {
  std::array<std::int64_t, 4> counts{};
  for (const InputUse& input : r.inputs) ++counts[static_cast<std::size_t>(input.constant.level)];
  json.begin("inputs");
  for (const Level level : {Level::measured, Level::fitted, Level::published, Level::assumed})
    json.whole(name_of(level), counts[static_cast<std::size_t>(level)]);
  json.end();
  json.begin_list("constants");
  for (const InputUse& input : r.inputs) {
    json.begin();
    json.text("name", input.name);
    json.number("value", input.constant.value);
    json.number("relative_sigma", input.constant.sigma);
    json.text("level", name_of(input.constant.level));
    json.text("source", input.constant.source);
    json.text("range", input.constant.range);
    json.end();
  }
  json.end_list();
}

void write_report_keys(JsonWriter& json, const Report& report) {
  json.text("format", "dsim.report/1");
  write_what(json, report);
  write_answer(json, report);
  write_memory(json, report);
  write_why(json, report);
  write_inputs(json, report);
  if (report.campaign) {
    json.begin("campaign");
    write_campaign(json, *report.campaign);
    json.end();
  }
  json.texts("warnings", report.warnings);
}

}  // namespace

std::string report_json(const Report& report) {
  JsonWriter json;
  json.begin();
  write_report_keys(json, report);
  json.end();
  return json.document() + "\n";
}

std::string scaling_json(const Scaling& scaling) {
  JsonWriter json;
  json.begin();
  json.text("format", "dsim.scale/1");
  json.text("scaling", name_of(scaling.mode));
  json.begin_list("points");
  for (std::size_t i = 0; i < scaling.points.size(); ++i) {
    json.begin();
    json.number("efficiency_to_first", scaling.efficiency_to_first(i));
    write_report_keys(json, scaling.points[i]);
    json.end();
  }
  json.end_list();
  json.end();
  return json.document() + "\n";
}

}  // namespace dsim
