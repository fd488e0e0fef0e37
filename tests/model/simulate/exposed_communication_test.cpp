// The report's exposed communication, found again from the trace alone.
#include <algorithm>
#include <catch2/catch.hpp>

#include "model/simulate/experiment.h"
#include "sim/base/data_files.h"

using namespace dsim;

namespace {

using Intervals = std::vector<std::pair<std::int64_t, std::int64_t>>;

Intervals spans_on(const Timeline& timeline, std::string_view track, bool data_only) {
  Intervals result;
  for (const Span& span : timeline.spans())
    if (timeline.tracks()[span.track.index()].name == track)
      result.emplace_back((data_only ? span.data_start : span.start).ps, span.end.ps);
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace

TEST_CASE("exposed communication in the report equals what the trace shows") {
  const auto name = GENERATE("dgx-h100x2.json", "dgx8x64.json");
  const auto model = GENERATE("resnet-50", "bert-base");
  CAPTURE(name, model);
  Experiment e;
  e.topology = load_topology(find_data_file(name, "topologies"));
  e.jobs[0].model = model;
  e.jobs[0].micro_batch = 16;
  e.jobs[0].training.accumulate = 2;
  RunControl control;
  control.elasticities = control.scaling = false;
  control.record_timeline = true;
  const Report r = simulate(e, control);
  REQUIRE(r.timeline);
  const Intervals compute = spans_on(*r.timeline, "compute", false);
  const Intervals communication = spans_on(*r.timeline, "communication", true);
  REQUIRE(!compute.empty());
  REQUIRE(!communication.empty());

  // Idle time of the compute track while data move.
  double exposed = 0, overlapped = 0;
  std::int64_t cursor = 0;
  const auto moving = [&](std::int64_t begin, std::int64_t end) {
    std::int64_t sum = 0;
    for (const auto& [a, b] : communication)
      sum += std::max<std::int64_t>(0, std::min(b, end) - std::max(a, begin));
    return static_cast<double>(sum) * 1e-12;
  };
  for (const auto& [begin, end] : compute) {
    if (begin > cursor) exposed += moving(cursor, begin);
    overlapped += moving(begin, end);
    cursor = std::max(cursor, end);
  }
  CHECK(overlapped > 0);  // buckets overlap backward
  // A gap may also be the host's: then the trace shows a little more than the report counts.
  CHECK(exposed >= r.parts.exposed_communication_s - 1e-9);
  CHECK(exposed <= r.parts.exposed_communication_s + r.parts.launch_s + 1e-9);
  if (r.parts.launch_s < 1e-9) CHECK(exposed == Approx(r.parts.exposed_communication_s).margin(1e-9));

  // Collectives of a rank do not overlap each other, and all buckets are there in order.
  for (std::size_t i = 1; i < communication.size(); ++i)
    CHECK(communication[i].first >= communication[i - 1].second);
  std::int32_t next = 0;
  for (const Span& span : r.timeline->spans())
    if (span.kind == SpanKind::communication && span.bucket >= 0) CHECK(span.bucket == next++);
  CHECK(next == static_cast<std::int32_t>(r.buckets.size()));
  CHECK(!r.timeline->arrows().empty());
}
