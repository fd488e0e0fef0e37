#include "sim/trace/perfetto.h"

#include <fmt/format.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ostream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace dsim {
namespace {

/// One trace event a line; the buffer is reused, so memory does not grow with the trace.
class EventWriter {
 public:
  explicit EventWriter(std::ostream& out) : out_(out), json_(buffer_) {}

  void begin(std::string_view phase, std::uint32_t pid) {
    json_.StartObject();
    text("ph", phase);
    number("pid", pid);
  }
  void end() {
    json_.EndObject();
    if (!first_) out_ << ",\n";
    first_ = false;
    out_.write(buffer_.GetString(), static_cast<std::streamsize>(buffer_.GetSize()));
    buffer_.Clear();
    json_.Reset(buffer_);
  }
  void text(std::string_view key, std::string_view value) {
    key_(key);
    json_.String(value.data(), static_cast<rapidjson::SizeType>(value.size()));
  }
  void number(std::string_view key, std::int64_t value) {
    key_(key);
    json_.Int64(value);
  }
  void real(std::string_view key, double value) {
    key_(key);
    if (std::isfinite(value))
      json_.Double(value);
    else
      json_.Null();
  }
  /// Microseconds with all picosecond digits that are needed, e.g. 12.000345; negative before time
  /// 0.
  void microseconds(std::string_view key, Time time) {
    key_(key);
    const std::int64_t ps = std::abs(time.ps);
    std::string digits =
        fmt::format("{}{}.{:06}", time.ps < 0 ? "-" : "", ps / 1'000'000, ps % 1'000'000);
    digits.erase(digits.find_last_not_of('0') + 1);
    if (digits.back() == '.') digits.pop_back();
    json_.RawValue(digits.data(), digits.size(), rapidjson::kNumberType);
  }
  void begin_args() {
    key_("args");
    json_.StartObject();
  }
  void end_args() { json_.EndObject(); }

 private:
  void key_(std::string_view key) {
    json_.Key(key.data(), static_cast<rapidjson::SizeType>(key.size()));
  }
  std::ostream& out_;
  rapidjson::StringBuffer buffer_;
  rapidjson::Writer<rapidjson::StringBuffer> json_;
  bool first_ = true;
};

/// Process numbers in order of first appearance, from 1.
class Processes {
 public:
  std::uint32_t pid(const std::string& name) {
    const auto [entry, added] =
        pids_.try_emplace(name, static_cast<std::uint32_t>(names_.size() + 1));
    if (added) names_.push_back(name);
    return entry->second;
  }
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::unordered_map<std::string, std::uint32_t> pids_;
  std::vector<std::string> names_;
};

/// Viewers nest the spans of a thread and cannot show two that overlap in part, so a track with
/// overlapping spans (gradients waiting in several buckets) becomes several threads.
class Lanes {
 public:
  explicit Lanes(const Timeline& timeline) : first_thread_(timeline.tracks().size()) {
    std::vector<std::vector<Time>> ends(timeline.tracks().size());
    for (const Span& span : timeline.spans()) {
      std::vector<Time>& lanes = ends[span.track.index()];
      std::size_t lane = 0;
      while (lane < lanes.size() && lanes[lane] > span.start) ++lane;
      if (lane == lanes.size()) lanes.push_back(span.end);
      lanes[lane] = span.end;
      lane_.push_back(static_cast<std::uint16_t>(lane));
    }
    std::int64_t next = 1;
    for (std::size_t track = 0; track < ends.size(); ++track) {
      first_thread_[track] = next;
      next += static_cast<std::int64_t>(std::max<std::size_t>(ends[track].size(), 1));
    }
    first_thread_.push_back(next);
  }
  std::int64_t threads(std::size_t track) const {
    return first_thread_[track + 1] - first_thread_[track];
  }
  std::int64_t first_thread(std::size_t track) const { return first_thread_[track]; }
  std::int64_t thread(const Timeline& timeline, SpanId span) const {
    return first_thread_[timeline.span(span).track.index()] + lane_[span.index()];
  }

 private:
  std::vector<std::int64_t> first_thread_;  // of each track; one more at the end
  std::vector<std::uint16_t> lane_;         // of each span
};

std::string_view category(SpanKind kind) {
  switch (kind) {
    case SpanKind::forward:
      return "forward";
    case SpanKind::backward:
      return "backward";
    case SpanKind::optimizer:
      return "optimizer";
    case SpanKind::communication:
      return "communication";
    case SpanKind::copy:
      return "copy";
    case SpanKind::input:
      return "input";
    case SpanKind::launch:
      return "launch";
    case SpanKind::other:
      break;
  }
  return "other";
}

std::string_view reason(Release release) {
  switch (release) {
    case Release::start:
      return "nothing";
    case Release::stream_order:
      return "the stream";
    case Release::dependency:
      return "another stream";
    case Release::launch:
      return "launch by the host";
    case Release::arrival:
      return "the last rank";
    case Release::input:
      return "the batch";
  }
  return "nothing";
}

void write_metadata(EventWriter& events, std::string_view what, std::uint32_t pid, std::int64_t tid,
                    std::string_view name, std::int64_t order) {
  events.begin("M", pid);
  if (tid > 0) events.number("tid", tid);
  events.text("name", fmt::format("{}_name", what));
  events.begin_args();
  events.text("name", name);
  events.end_args();
  events.end();

  events.begin("M", pid);
  if (tid > 0) events.number("tid", tid);
  events.text("name", fmt::format("{}_sort_index", what));
  events.begin_args();
  events.number("sort_index", order);
  events.end_args();
  events.end();
}

void write_span(EventWriter& events, const Timeline& timeline, const Span& span, std::uint32_t pid,
                std::int64_t tid) {
  events.begin("X", pid);
  events.number("tid", tid);
  events.microseconds("ts", span.start);
  events.microseconds("dur", span.end - span.start);
  events.text("name", timeline.text(span.name));
  events.text("cat", category(span.kind));
  events.begin_args();
  events.text("waited for", reason(span.release));
  if (span.released_by.valid())
    events.text("released by", timeline.text(timeline.span(span.released_by).name));
  events.microseconds("issued_us", span.issued);
  if (span.data_start > span.start)
    events.microseconds("wait_for_last_rank_us", span.data_start - span.start);
  if (span.bytes.count > 0) events.number("bytes", span.bytes.count);
  if (span.bucket >= 0) events.number("bucket", span.bucket);
  if (span.detail.valid()) events.text("detail", timeline.text(span.detail));
  events.end_args();
  events.end();
}

void write_arrow_end(EventWriter& events, std::string_view phase, std::size_t id, std::uint32_t pid,
                     std::int64_t tid, Time when) {
  events.begin(phase, pid);
  events.number("tid", tid);
  events.microseconds("ts", when);
  events.text("name", "releases");
  events.text("cat", "flow");
  events.number("id", static_cast<std::int64_t>(id));
  if (phase == "f") events.text("bp", "e");  // binds to the enclosing span, not to the next one
  events.end();
}

}  // namespace

void write_perfetto(const Timeline& timeline, std::ostream& out) {
  Processes processes;
  std::vector<std::uint32_t> pid_of_track;
  for (const Track& track : timeline.tracks()) pid_of_track.push_back(processes.pid(track.process));
  for (const Counter& counter : timeline.counters()) processes.pid(counter.process);

  out << "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";
  EventWriter events(out);
  for (const std::string& name : processes.names()) {
    const std::uint32_t pid = processes.pid(name);
    write_metadata(events, "process", pid, 0, name, pid);
  }
  const Lanes lanes(timeline);
  for (std::size_t i = 0; i < timeline.tracks().size(); ++i)
    for (std::int64_t lane = 0; lane < lanes.threads(i); ++lane) {
      const std::string& name = timeline.tracks()[i].name;
      const std::int64_t tid = lanes.first_thread(i) + lane;
      write_metadata(events, "thread", pid_of_track[i], tid,
                     lane == 0 ? name : fmt::format("{} ({})", name, lane + 1), tid);
    }

  for (std::size_t i = 0; i < timeline.spans().size(); ++i) {
    const Span& span = timeline.spans()[i];
    write_span(events, timeline, span, pid_of_track[span.track.index()],
               lanes.thread(timeline, SpanId{i}));
  }

  // An arrow leaves just before the end of its span: at the end itself, viewers that work in whole
  // nanoseconds would bind it to the next span of the track.
  for (std::size_t i = 0; i < timeline.arrows().size(); ++i) {
    const Arrow& arrow = timeline.arrows()[i];
    const Span& from = timeline.span(arrow.from);
    const Span& to = timeline.span(arrow.to);
    write_arrow_end(events, "s", i + 1, pid_of_track[from.track.index()],
                    lanes.thread(timeline, arrow.from), std::max(from.start, from.end - 2_ns));
    write_arrow_end(events, "f", i + 1, pid_of_track[to.track.index()],
                    lanes.thread(timeline, arrow.to), to.start);
  }

  for (const Counter& counter : timeline.counters()) {
    const std::string name =
        counter.unit.empty() ? counter.name : fmt::format("{} ({})", counter.name, counter.unit);
    for (const auto& [when, value] : counter.points) {
      events.begin("C", processes.pid(counter.process));
      events.microseconds("ts", when);
      events.text("name", name);
      events.begin_args();
      events.real("value", value);
      events.end_args();
      events.end();
    }
  }
  out << "\n]}\n";
}

}  // namespace dsim
