#include "sim/trace/perfetto.h"

#include <rapidjson/document.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

using namespace dsim;

namespace {

/// Two ranks; rank 0 has a backward kernel of 10.000001 us whose gradient feeds a collective.
Timeline small_timeline() {
  Timeline timeline;
  const TrackId compute = timeline.add_track("rank 0 (x 511)", "compute");
  const TrackId communication = timeline.add_track("rank 0 (x 511)", "communication");
  const TrackId other = timeline.add_track("rank 7 \"slow\"", "compute");

  Span backward;
  backward.track = compute;
  backward.name = timeline.intern("layer.23\\wgrad \"q\"\n");
  backward.start = 5_us;
  backward.end = 15_us + 1_ps;
  backward.kind = SpanKind::backward;
  const SpanId gradient = timeline.add(backward);

  Span collective;
  collective.track = communication;
  collective.name = timeline.intern("all_reduce");
  collective.start = collective.issued = backward.end;
  collective.data_start = collective.start + 3_us;
  collective.end = 40_us;
  collective.kind = SpanKind::communication;
  collective.release = Release::dependency;
  collective.released_by = gradient;
  collective.bytes = 25_MiB;
  collective.bucket = 2;
  collective.detail = timeline.intern("ring, 16 channels");
  timeline.connect(gradient, timeline.add(collective));

  Span slow = backward;
  slow.track = other;
  slow.end = 5_us;  // takes no time
  timeline.add(slow);

  timeline.add(
      Counter{"links", "nic 0 uplink", "GB/s", {{0_us, 0.0}, {18_us, 46.5}, {40_us, 0.0}}});
  return timeline;
}

rapidjson::Document parse(const Timeline& timeline, std::string* text = nullptr) {
  std::ostringstream out;
  write_perfetto(timeline, out);
  rapidjson::Document document;
  document.Parse<rapidjson::kParseFullPrecisionFlag>(out.str().c_str());
  REQUIRE_FALSE(document.HasParseError());
  REQUIRE(document["traceEvents"].IsArray());
  if (text) *text = out.str();
  return document;
}

}  // namespace

TEST_CASE("A Perfetto trace holds every span with its time to the picosecond") {
  const Timeline timeline = small_timeline();
  std::string text;
  const rapidjson::Document trace = parse(timeline, &text);
  std::size_t spans = 0;
  double total_us = 0;
  for (const auto& event : trace["traceEvents"].GetArray()) {
    if (event["ph"] != "X") continue;
    const Span& span = timeline.spans()[spans++];
    CHECK(event["name"].GetString() == timeline.text(span.name));
    CHECK(event["ts"].GetDouble() == Approx(span.start.seconds() * 1e6).epsilon(1e-12));
    total_us += event["dur"].GetDouble();
  }
  CHECK(spans == timeline.spans().size());
  double expected_us = 0;
  for (const Span& span : timeline.spans()) expected_us += (span.end - span.start).seconds() * 1e6;
  CHECK(total_us == Approx(expected_us).epsilon(1e-12));
  CHECK(text.find("\"dur\":10.000001,") != std::string::npos);
  CHECK(text.find("\"ts\":5,") != std::string::npos);
}

TEST_CASE("A Perfetto trace names each process and thread once and every event refers to one") {
  const rapidjson::Document trace = parse(small_timeline());
  std::map<int, std::string> processes;
  std::set<std::pair<int, int>> threads;
  for (const auto& event : trace["traceEvents"].GetArray()) {
    const int pid = event["pid"].GetInt();
    const std::string name = event["name"].GetString();
    if (name == "process_name") {
      CHECK(processes.emplace(pid, event["args"]["name"].GetString()).second);
    } else if (name == "thread_name") {
      CHECK(threads.emplace(pid, event["tid"].GetInt()).second);
    } else {
      CHECK(processes.count(pid) == 1);
      if (event.HasMember("tid")) CHECK(threads.count({pid, event["tid"].GetInt()}) == 1);
    }
  }
  CHECK(processes ==
        std::map<int, std::string>{{1, "rank 0 (x 511)"}, {2, "rank 7 \"slow\""}, {3, "links"}});
  CHECK(threads.size() == 3);
}

TEST_CASE("Flow arrows come in pairs, start inside their span and never run backwards") {
  const Timeline timeline = small_timeline();
  const rapidjson::Document trace = parse(timeline);
  std::map<int, double> starts, ends;
  for (const auto& event : trace["traceEvents"].GetArray()) {
    if (event["ph"] == "s") starts[event["id"].GetInt()] = event["ts"].GetDouble();
    if (event["ph"] == "f") ends[event["id"].GetInt()] = event["ts"].GetDouble();
  }
  REQUIRE(starts.size() == timeline.arrows().size());
  REQUIRE(ends.size() == starts.size());
  const Span& from = timeline.span(timeline.arrows()[0].from);
  CHECK(starts[1] >= from.start.seconds() * 1e6);
  CHECK(starts[1] < from.end.seconds() * 1e6);
  CHECK(ends[1] >= starts[1]);
}

TEST_CASE("A collective's arguments tell bytes, bucket, algorithm and what it waited for") {
  const rapidjson::Document trace = parse(small_timeline());
  for (const auto& event : trace["traceEvents"].GetArray()) {
    if (event["name"] != "all_reduce") continue;
    const auto& args = event["args"];
    CHECK(args["bytes"].GetInt64() == (25_MiB).count);
    CHECK(args["bucket"].GetInt() == 2);
    CHECK(args["detail"] == "ring, 16 channels");
    CHECK(args["waited for"] == "another stream");
    CHECK(args["released by"] == "layer.23\\wgrad \"q\"\n");
    CHECK(args["wait_for_last_rank_us"].GetDouble() == 3);
    return;
  }
  FAIL("no collective in the trace");
}

TEST_CASE("Spans of a track that overlap are written to threads of their own, side by side") {
  Timeline timeline;
  const TrackId buckets = timeline.add_track("rank 0", "buckets");
  const TrackId other = timeline.add_track("rank 0", "other");
  const auto add = [&](TrackId track, Time start, Time end) {
    Span span;
    span.track = track;
    span.name = timeline.intern("wait");
    span.start = start;
    span.end = end;
    timeline.add(span);
  };
  add(buckets, 0_us, 10_us);
  add(buckets, 5_us, 15_us);   // overlaps
  add(buckets, 10_us, 12_us);  // free again
  add(buckets, 11_us, 13_us);  // a third
  add(other, 0_us, 20_us);
  const rapidjson::Document trace = parse(timeline);
  std::map<int, std::string> names;
  std::vector<int> threads;
  for (const auto& event : trace["traceEvents"].GetArray()) {
    if (event["name"] == "thread_name")
      names[event["tid"].GetInt()] = event["args"]["name"].GetString();
    if (event["ph"] == "X") threads.push_back(event["tid"].GetInt());
  }
  CHECK(threads == std::vector<int>{1, 2, 1, 3, 4});
  CHECK(names == std::map<int, std::string>{
                     {1, "buckets"}, {2, "buckets (2)"}, {3, "buckets (3)"}, {4, "other"}});
}

TEST_CASE("Counters are written in order of time, and a value that is no number as null") {
  Timeline timeline = small_timeline();
  timeline.add(Counter{"links", "broken", "", {{1_us, std::nan("")}}});
  const rapidjson::Document trace = parse(timeline);
  double last = -1;
  int points = 0;
  for (const auto& event : trace["traceEvents"].GetArray()) {
    if (event["ph"] != "C") continue;
    if (event["name"] == "broken") {
      CHECK(event["args"]["value"].IsNull());
      continue;
    }
    CHECK(event["name"] == "nic 0 uplink (GB/s)");
    CHECK(event["ts"].GetDouble() > last);
    last = event["ts"].GetDouble();
    ++points;
  }
  CHECK(points == 3);
}

TEST_CASE("An empty timeline is still a valid trace") {
  CHECK(parse(Timeline{})["traceEvents"].Empty());
}

TEST_CASE("A kernel that the host issued before the step began has a negative issue time") {
  Timeline timeline;
  Span span;
  span.track = timeline.add_track("rank 0", "compute");
  span.name = timeline.intern("kernel");
  span.end = 1_us;
  span.issued = Time{-901'250'129};
  timeline.add(span);
  std::string text;
  parse(timeline, &text);
  CHECK(text.find("\"issued_us\":-901.250129") != std::string::npos);
}
