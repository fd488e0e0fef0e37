#include "model/simulate/timeline_of.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "model/simulate/link_loads.h"
#include "sim/base/error.h"

namespace dsim {

namespace {

SpanKind kind_of(const Task& task) {
  if (task.kind == TaskKind::collective) return SpanKind::communication;
  switch (task.phase) {
    case Phase::input:
      return SpanKind::input;
    case Phase::forward:
      return SpanKind::forward;
    case Phase::backward:
      return SpanKind::backward;
    case Phase::optimizer:
      return SpanKind::optimizer;
    case Phase::other:
      break;
  }
  return SpanKind::other;
}

class Writer {
 public:
  Writer(const Scenario& scenario, const Outcome& outcome)
      : scenario_(scenario), outcome_(outcome) {}

  void add_rank(std::size_t class_index, const std::string& process) {
    const RankClass& rank_class = outcome_.workload->classes[class_index];
    const Program& program = outcome_.workload->programs[rank_class.program];
    const ClassExecution& execution = outcome_.execution.classes[class_index];
    const Time zero = execution.begin;
    std::vector<TrackId> tracks;
    for (const std::string& stream : program.streams)
      tracks.push_back(timeline->add_track(process, stream));
    const TrackId buckets = timeline->add_track(process, "buckets");

    std::vector<SpanId> span_of(program.tasks.size());
    for (std::uint32_t t = 0; t < program.tasks.size(); ++t) {
      const Task& task = program.tasks[t];
      const TaskRecord& record = execution.tasks[t];
      if (task.kind == TaskKind::join || record.end <= record.start) continue;
      Span span;
      span.track = tracks[task.stream];
      span.name = timeline->intern(program.names[task.name]);
      span.start = record.start - zero;
      span.end = record.end - zero;
      span.kind = kind_of(task);
      span.release = record.release;
      span.issued = record.issued - zero;
      span.data_start = record.data_start - zero;
      span.bucket = task.bucket;
      span.bytes = Bytes{static_cast<std::int64_t>(task.hbm_bytes)};
      if (task.kind == TaskKind::collective) {
        const Call& call = outcome_.calls->call(task.collective);
        span.bytes = outcome_.workload->collectives[task.collective].bytes;
        span.detail = timeline->intern(
            fmt::format("{}/{}, {} channels", call.algorithm, name_of(call.protocol), call.channels));
      } else if (task.kind == TaskKind::fast_forward) {
        span.detail =
            timeline->intern(fmt::format("{} more micro-batches like the one before", task.count));
      }
      span_of[t] = timeline->add(span);
    }
    for (std::uint32_t t = 0; t < program.tasks.size(); ++t) {
      if (!span_of[t].valid()) continue;
      const TaskId by = execution.tasks[t].released_by;
      if (by.valid()) timeline->span(span_of[t]).released_by = before(program, span_of, by);
    }
    for (std::uint32_t t = 0; t < program.tasks.size(); ++t)
      if (program.tasks[t].kind == TaskKind::collective)
        add_bucket(program, execution, span_of, t, buckets);
  }

  // Mean load of the busiest link of each kind while each collective moved data.
  void add_link_loads() {
    const std::size_t c = outcome_.slowest;
    const Program& program = outcome_.workload->programs[outcome_.workload->classes[c].program];
    const ClassExecution& execution = outcome_.execution.classes[c];
    std::map<std::size_t, const TaskRecord*> record_of_call;
    for (std::uint32_t t = 0; t < program.tasks.size(); ++t)
      if (program.tasks[t].kind == TaskKind::collective)
        record_of_call[program.tasks[t].collective] = &execution.tasks[t];
    std::map<std::string, Counter> counters;
    for (const LinkUse& use : link_uses(scenario_, outcome_)) {
      const auto found = record_of_call.find(use.call);
      if (found == record_of_call.end()) continue;
      const TaskRecord& r = *found->second;
      const double seconds = (r.end - r.data_start).seconds();
      if (seconds <= 0) continue;
      Counter& counter = counters[use.resource];
      if (counter.points.empty()) counter.points.emplace_back(Time{}, 0.0);
      counter.points.emplace_back(r.data_start - execution.begin,
                                  std::min(1.0, use.busy_seconds / seconds) * 100);
      counter.points.emplace_back(r.end - execution.begin, 0.0);
    }
    for (auto& [name, counter] : counters) {
      counter.process = "links";
      counter.name = name + ", busiest";
      counter.unit = "%";
      timeline->add(std::move(counter));
    }
  }

  std::shared_ptr<Timeline> timeline = std::make_shared<Timeline>();

 private:
  // The span of a task, or of what it waited for where the task itself takes no time.
  static SpanId before(const Program& program, const std::vector<SpanId>& span_of, TaskId id) {
    if (span_of[id.index()].valid()) return span_of[id.index()];
    const Task& task = program.tasks[id.index()];
    for (std::uint32_t i = task.dependency_count; i-- > 0;) {
      const TaskId dependency = program.dependencies[task.first_dependency + i];
      if (span_of[dependency.index()].valid()) return span_of[dependency.index()];
    }
    return {};
  }

  // A bucket exists from its last gradient until its collective has ended.
  void add_bucket(const Program& program, const ClassExecution& execution,
                  const std::vector<SpanId>& span_of, std::uint32_t t, TrackId track) {
    const Task& task = program.tasks[t];
    if (task.bucket < 0 || !span_of[t].valid()) return;
    Time ready = execution.begin;
    SpanId gradient;
    TaskId gradient_task;
    for (std::uint32_t i = 0; i < task.dependency_count; ++i) {
      const TaskId id = program.dependencies[task.first_dependency + i];
      if (execution.tasks[id.index()].end < ready) continue;
      ready = execution.tasks[id.index()].end;
      gradient = span_of[id.index()];
      gradient_task = id;
    }
    if (gradient_task.valid()) add_gradient_arrow(program, span_of, gradient_task);
    const TaskRecord& record = execution.tasks[t];
    if (record.start > ready) {
      Span span;
      span.track = track;
      span.name = timeline->intern(fmt::format("bucket {} waits", task.bucket));
      span.start = ready - execution.begin;
      span.end = record.start - execution.begin;
      span.kind = SpanKind::copy;
      span.release = gradient.valid() ? Release::dependency : Release::start;
      span.released_by = gradient;
      span.issued = span.data_start = span.start;
      span.bytes = outcome_.workload->collectives[task.collective].bytes;
      span.bucket = task.bucket;
      const SpanId bucket = timeline->add(span);
      if (gradient.valid()) timeline->connect(gradient, bucket);
      timeline->connect(bucket, span_of[t]);
    } else if (gradient.valid()) {
      timeline->connect(gradient, span_of[t]);
    }
    // To the first task with a duration that follows a task waiting for this collective.
    for (std::uint32_t next = t + 1; next < program.tasks.size(); ++next) {
      const Task& waiting = program.tasks[next];
      const auto first = program.dependencies.begin() + waiting.first_dependency;
      if (std::find(first, first + waiting.dependency_count, TaskId{t}) ==
          first + waiting.dependency_count)
        continue;
      for (std::uint32_t after = next; after < program.tasks.size(); ++after)
        if (program.tasks[after].stream == waiting.stream && span_of[after].valid()) {
          timeline->connect(span_of[t], span_of[after]);
          add_optimizer_arrow(program, span_of, after);
          break;
        }
      break;
    }
  }

  // From the kernel that made the last gradient of a bucket to the copy that brings it there.
  void add_gradient_arrow(const Program& program, const std::vector<SpanId>& span_of, TaskId copy) {
    for (std::uint32_t t = copy.value; t-- > 0;) {
      const Task& task = program.tasks[t];
      if (task.stream != compute_stream || task.bucket >= 0 || !span_of[t].valid()) continue;
      if (span_of[copy.index()].valid()) timeline->connect(span_of[t], span_of[copy.index()]);
      return;
    }
  }

  // From what follows a collective to the optimizer that uses its gradients.
  void add_optimizer_arrow(const Program& program, const std::vector<SpanId>& span_of,
                           std::uint32_t from) {
    for (std::uint32_t t = from + 1; t < program.tasks.size(); ++t)
      if (program.tasks[t].phase == Phase::optimizer && span_of[t].valid()) {
        timeline->connect(span_of[from], span_of[t]);
        return;
      }
  }

  const Scenario& scenario_;
  const Outcome& outcome_;
};

}  // namespace

std::shared_ptr<const Timeline> timeline_of(const Scenario& scenario, const Outcome& outcome,
                                            const std::vector<std::uint32_t>& ranks) {
  Writer writer(scenario, outcome);
  const auto& classes = outcome.workload->classes;
  if (ranks.empty()) {
    for (std::size_t c = 0; c < classes.size(); ++c) {
      const std::size_t count = classes[c].ranks.size();
      writer.add_rank(c, count == 1 ? fmt::format("rank {}", classes[c].ranks.front())
                                    : fmt::format("rank {} (and {} alike)",
                                                  classes[c].ranks.front(), count - 1));
    }
  }
  for (const std::uint32_t rank : ranks) {
    std::size_t found = classes.size();
    for (std::size_t c = 0; c < classes.size(); ++c)
      if (std::find(classes[c].ranks.begin(), classes[c].ranks.end(), rank) !=
          classes[c].ranks.end())
        found = c;
    if (found == classes.size())
      throw InputError(
          fmt::format("trace rank {} does not exist: there are {} ranks", rank, scenario.ranks));
    writer.add_rank(found, fmt::format("rank {}", rank));
  }
  writer.add_link_loads();
  return writer.timeline;
}

}  // namespace dsim
