#include "model/simulate/compare_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/simulate/report_csv.h"
#include "model/simulate/report_json.h"
#include "model/simulate/text_layout.h"
#include "sim/base/json_writer.h"
#include "sim/base/quantity.h"

namespace dsim {

namespace {

constexpr std::size_t width = 80;

std::string heading(const Comparison& comparison) {
  const auto with_report =
      std::find_if(comparison.runs.rbegin(), comparison.runs.rend(),
                   [](const ComparedRun& run) { return run.report.has_value(); });
  if (with_report == comparison.runs.rend()) return "";
  const Report& last = *with_report->report;
  std::vector<std::string> items{last.model_title};
  if (last.sequence > 0) items.push_back(fmt::format("sequence {}", last.sequence));
  items.push_back(last.precision);
  items.push_back(fmt::format("micro-batch {}", last.micro_batch));
  if (last.accumulate > 1) items.push_back(fmt::format("accumulate {}", last.accumulate));
  std::string text;
  for (const std::string& line : wrap_items("", items, " · ", width)) text += line + '\n';
  for (const std::string& line : wrap_text("", last.topology, width)) text += line + '\n';
  return text;
}

std::string csv_cell(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? "\"\"" : std::string(1, c);
  return result + '"';
}

}  // namespace

std::string compare_text(const Comparison& comparison, const TextStyle& style) {
  std::string unit = "samples";
  for (const ComparedRun& run : comparison.runs)
    if (run.report) unit = run.report->sample_unit;
  std::vector<std::vector<std::string>> rows{
      {"GPUs", "case", "step", unit + "/s", "vs 1 GPU", "exposed", "limited by"}};
  std::int64_t size = 0;
  bool all_fit = true;
  for (const ComparedRun& run : comparison.runs) {
    std::vector<std::string> row{
        run.gpus == size ? "" : format_count(static_cast<double>(run.gpus)),
        comparison.cases[run.of]};
    size = run.gpus;
    if (!run.report) {
      row.insert(row.end(), {"–", "–", "–", "–", "cannot be"});
    } else {
      const Report& report = *run.report;
      const double exposed = report.parts.exposed_communication_s;
      row.insert(row.end(),
                 {format_time(report.step_time_s), format_count(report.throughput),
                  report.scaling_efficiency ? format_percent(*report.scaling_efficiency) : "–",
                  exposed > 0 ? fmt::format("{:.1f} %", 100 * exposed / report.step_time_s) : "–",
                  report.bottleneck.resource + (report.memory.fits() ? "" : " *")});
      all_fit = all_fit && report.memory.fits();
    }
    rows.push_back(std::move(row));
  }
  std::string text = heading(comparison) + '\n' + table(rows, {1, rows.front().size() - 1});
  if (!all_fit)
    text += inked("* does not fit into the memory of one GPU", Ink::fault, style.colour) + '\n';
  size = 0;
  for (const ComparedRun& run : comparison.runs) {
    const std::string& words = run.report ? run.reason : run.refusal;
    if (words.empty()) continue;
    if (run.gpus != size) text += fmt::format("\n{} GPU{}\n", run.gpus, run.gpus == 1 ? "" : "s");
    size = run.gpus;
    const std::string sentence = fmt::format("{}: {}", comparison.cases[run.of], words);
    for (const std::string& line : wrap_text("  ", sentence, width)) text += line + '\n';
  }
  return text;
}

std::string compare_json(const Comparison& comparison) {
  JsonWriter json;
  json.begin();
  json.text("format", "dsim.compare/1");
  json.begin_list("cases");
  for (const ComparedRun& run : comparison.runs) {
    json.begin();
    json.text("case", comparison.cases[run.of]);
    json.whole("gpus", run.gpus);
    json.text_or_null("refused", run.refusal);
    json.text_or_null("reason", run.reason);
    json.begin("communication");
    json.member("collectives", run.facts.collectives);
    json.number("moving_s", run.facts.moving_s);
    json.number("negotiation_s", run.facts.negotiation_s);
    json.number("last_negotiation_s", run.facts.last_negotiation_s);
    json.number("fusion_copies_s", run.facts.fusion_copies_s);
    json.number("bucket_copies_s", run.facts.bucket_copies_s);
    json.number("casts_s", run.facts.casts_s);
    json.number("staging_s", run.facts.staging_s);
    json.number("broadcast_s", run.facts.broadcast_s);
    json.number("buffers_s", run.facts.buffers_s);
    json.end();
    if (run.report)
      json.raw("report", report_json(*run.report));
    else
      json.text_or_null("report", "");
    json.end();
  }
  json.end_list();
  json.end();
  return json.document() + "\n";
}

std::string compare_csv(const Comparison& comparison) {
  const Report none;
  const std::string columns = reports_csv({&none, 0});
  std::string text = "case,reason," + columns;
  const std::string empty(static_cast<std::size_t>(std::count(columns.begin(), columns.end(), ',')),
                          ',');
  for (const ComparedRun& run : comparison.runs) {
    text += csv_cell(comparison.cases[run.of]) + ',' +
            csv_cell(run.report ? run.reason : run.refusal) + ',';
    if (!run.report) {
      text += empty + '\n';
      continue;
    }
    const std::string rows = reports_csv({&*run.report, 1});
    text += rows.substr(rows.find('\n') + 1);
  }
  return text;
}

}  // namespace dsim
