#include "model/collective/report/collective_json.h"

#include <cmath>
#include <string_view>

#include "sim/base/json_writer.h"

namespace dsim {
namespace {

void write_what(JsonWriter& json, const CollectiveReport& r) {
  json.text("format", "dsim.collective/1");
  json.text("collective", name_of(r.op));
  json.text("type", name_of(r.type));
  if (has_root(r.op)) json.whole("root", r.root);
  json.text("topology", r.topology);
  json.text("gpu", r.gpu);
  json.whole("ranks", r.ranks);
  json.whole("nodes", r.nodes);
  json.text_or_null("rank_list", r.rank_list);
  json.text("backend", r.backend);
  json.text_or_null("nccl_version", r.version);
  json.whole("channels", r.channels);
  json.whole("nvls_channels", r.nvls_channels);
  json.text("fidelity", r.fidelity);
  json.text("routing", r.routing);
  json.texts("forced", r.forced);
}

void write_estimates(JsonWriter& json, const NcclChoice& choice) {
  json.begin_list("estimates");
  for (const NcclEstimate& estimate : choice.estimates) {
    json.begin();
    json.text("algorithm", estimate.algorithm);
    json.text("protocol", name_of(estimate.protocol));
    json.flag("possible", estimate.possible);
    if (estimate.possible) {
      json.number("latency_us", estimate.latency_us);
      json.number("algbw_gbps", estimate.bandwidth_gbps);
      json.number("time_us", estimate.microseconds);
    } else {
      json.text("reason", estimate.reason);
    }
    json.end();
  }
  json.end_list();
}

void write_point(JsonWriter& json, const CollectiveReport& report, const CollectivePoint& point,
                 bool estimates) {
  const CollectivePrediction& p = point.prediction;
  json.begin();
  json.whole("size_bytes", point.size.count);
  json.whole("count", point.count);
  json.number("time_us", p.seconds * 1e6);
  json.number("time_low_us", p.low * 1e6);
  json.number("time_high_us", p.high * 1e6);
  json.number("algbw_gbps", p.algbw * 1e-9);
  json.number("busbw_gbps", p.busbw * 1e-9);
  json.text_or_null("algorithm", p.algorithm ? p.algorithm->name : "");
  json.text("protocol", name_of(p.protocol));
  json.whole("channels", p.channels);
  json.text_or_null("bottleneck", p.bottleneck);
  json.number("limit_busbw_gbps", p.limit_busbw > 0 ? p.limit_busbw * 1e-9 : std::nan(""));
  json.flag("extrapolated", p.extrapolated);
  if (!point.beside.empty()) {
    json.number("together_us", point.beside.front() * 1e6);
    json.begin_list("beside");
    for (std::size_t i = 1; i < point.beside.size(); ++i) {
      json.begin();
      json.text("collective", report.beside[i - 1].title);
      json.number("alone_us", report.beside[i - 1].alone * 1e6);
      json.number("together_us", point.beside[i] * 1e6);
      json.end();
    }
    json.end_list();
  }
  if (estimates) write_estimates(json, p.choice);
  json.end();
}

}  // namespace

std::string collective_json(const CollectiveReport& report, const CollectiveJsonParts& parts) {
  JsonWriter json;
  json.begin();
  write_what(json, report);
  json.number("average_busbw_gbps", average_busbw(report));
  json.begin_list("results");
  for (const CollectivePoint& point : report.points)
    write_point(json, report, point, parts.estimates);
  json.end_list();
  json.begin("inputs");
  for (const Level level : {Level::measured, Level::fitted, Level::published, Level::assumed})
    json.whole(name_of(level),
               static_cast<std::int64_t>(report.inputs[static_cast<std::size_t>(level)]));
  json.end();
  json.texts("assumed", report.assumed);
  json.texts("notices", report.notices);
  if (!parts.comparison.empty()) json.raw("comparison", parts.comparison);
  json.end();
  return json.document() + "\n";
}

}  // namespace dsim
