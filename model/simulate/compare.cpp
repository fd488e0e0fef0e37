#include "model/simulate/compare.h"

#include <algorithm>

#include "model/simulate/describe_training.h"
#include "model/simulate/settings.h"
#include "sim/base/error.h"

namespace dsim {

namespace {

std::string name_of(const ExperimentDraft& draft) {
  TrainingOptions options = draft.experiment.jobs.front().training;
  return describe_training(options, 2);
}

void apply(ExperimentDraft& draft, std::string_view name, const std::string& value) {
  if (name == "framework" && value == "dataparallel") {
    setting("framework").apply(draft, "pytorch");
    setting("strategy").apply(draft, "dp");
  } else {
    setting(name).apply(draft, value);
  }
}

/// The drafts with each of the values; `none` stands for the draft as it is.
std::vector<ExperimentDraft> varied(const std::vector<ExperimentDraft>& drafts,
                                    std::string_view name, const std::vector<std::string>& values) {
  if (values.empty()) return drafts;
  std::vector<ExperimentDraft> result;
  for (const ExperimentDraft& draft : drafts)
    for (const std::string& value : values) apply(result.emplace_back(draft), name, value);
  return result;
}

}  // namespace

std::vector<ComparedCase> compared_cases(const ExperimentDraft& draft, const ComparedNames& names) {
  // Strategies first: DataParallel is one whatever strategy is named beside it.
  std::vector<ExperimentDraft> drafts{draft};
  drafts = varied(drafts, "strategy", names.strategies);
  drafts = varied(drafts, "framework", names.frameworks);
  drafts = varied(drafts, "backend", names.backends);
  std::vector<ComparedCase> cases;
  for (ExperimentDraft& one : drafts) {
    std::string name = name_of(one);
    const auto same = [&](const ComparedCase& other) { return other.name == name; };
    if (std::none_of(cases.begin(), cases.end(), same))
      cases.push_back({std::move(name), std::move(one)});
  }
  return cases;
}

CommunicationFacts communication_facts(const Timeline& timeline) {
  CommunicationFacts facts;
  if (timeline.tracks().empty()) return facts;
  const std::string& process = timeline.tracks().front().process;
  double negotiation = 0;
  Time last;
  for (const Span& span : timeline.spans()) {
    const Track& track = timeline.tracks()[span.track.index()];
    if (track.process != process || track.name == "buckets") continue;
    const std::string_view name = timeline.text(span.name);
    const double seconds = (span.end - span.start).seconds();
    if (span.kind == SpanKind::communication) {
      ++facts.collectives;
      facts.moving_s += (span.end - span.data_start).seconds();
      if (name == "broadcast parameters") facts.broadcast_s += seconds;
      if (name == "broadcast buffers" || name == "broadcast counters") facts.buffers_s += seconds;
      if (span.end > last) last = span.end, facts.last_negotiation_s = negotiation;
    } else if (name == "NEGOTIATE_ALLREDUCE") {
      facts.negotiation_s += seconds;
      negotiation = seconds;
    } else if (name.ends_with("FUSION_BUFFER")) {
      facts.fusion_copies_s += seconds;
    } else if (name == "copy to bucket" || name == "copy from bucket" ||
               name == "divide gradient" || name.starts_with("flatten")) {
      facts.bucket_copies_s += seconds;
    } else if (name.find("compress") != std::string_view::npos) {
      facts.casts_s += seconds;
    } else if (name.find("to host") != std::string_view::npos ||
               name.find("to GPU") != std::string_view::npos || name.ends_with("HOST_BUFFER")) {
      facts.staging_s += seconds;
    }
  }
  return facts;
}

Comparison compare(const std::vector<ComparedCase>& cases,
                   const std::vector<std::int64_t>& gpu_counts, const RunControl& control) {
  require(!cases.empty() && !gpu_counts.empty(), "something to compare");
  const auto topology = draft_topology(cases.front().draft);
  Comparison comparison;
  for (const ComparedCase& one : cases) comparison.cases.push_back(one.name);
  const double total = static_cast<double>(cases.size() * gpu_counts.size());
  std::string first_refusal;
  bool any = false;
  for (const std::int64_t gpus : gpu_counts) {
    const std::size_t first = comparison.runs.size();
    std::size_t best = first;
    for (std::size_t c = 0; c < cases.size() && !control.stop.stop_requested(); ++c) {
      ComparedRun& run = comparison.runs.emplace_back();
      run.of = c;
      run.gpus = gpus;
      ExperimentDraft draft = cases[c].draft;
      draft.gpus = gpus;
      draft_gpus(draft, *topology);  // more than there are: no answer at all
      RunControl part = control;
      part.elasticities = false;
      part.record_timeline = true;
      part.progress = nullptr;
      try {
        run.report = simulate(resolve(draft, topology), part);
        run.facts = communication_facts(*run.report->timeline);
        run.report->timeline.reset();
        any = true;
      } catch (const InputError& error) {
        run.refusal = error.what();
        if (run.refusal.starts_with("error: ")) run.refusal.erase(0, 7);
        if (first_refusal.empty()) first_refusal = run.refusal;
      }
      const auto& fastest = comparison.runs[best].report;
      if (run.report && (!fastest || run.report->throughput > fastest->throughput))
        best = comparison.runs.size() - 1;
      if (control.progress) control.progress(static_cast<double>(comparison.runs.size()) / total);
    }
    for (std::size_t r = first; r < comparison.runs.size(); ++r)
      if (r != best && comparison.runs[r].report)
        comparison.runs[r].reason = difference_in_words(comparison.runs[r], comparison.runs[best]);
  }
  if (!any) throw InputError(first_refusal);
  return comparison;
}

}  // namespace dsim
