#pragma once
// What happened: spans on tracks, each with the reason why it started when it did. The only thing
// that exporters, the report and the GUI read.
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sim/base/id.h"
#include "sim/base/units.h"

namespace dsim {

using TrackId = Id<struct TrackTag>;
using SpanId = Id<struct SpanTag>;
using NameId = Id<struct NameTag>;

enum class SpanKind : std::uint8_t { forward, backward, optimizer, communication, copy, input, launch, other };

/// What released a span: the last thing it had waited for.
enum class Release : std::uint8_t {
  start,         ///< nothing: ready at time 0
  stream_order,  ///< the previous span of its stream
  dependency,    ///< a span on another stream (a collective, an event)
  launch,        ///< the host had not issued it yet
  arrival,       ///< the last rank of a collective arrived
  input          ///< the batch was not there yet
};

/// A row of the timeline: one stream of one rank, one link, ...
struct Track {
  std::string process;  ///< "rank 0 (x 511)"
  std::string name;     ///< "compute", "communication", "buckets", "nic 0 uplink"
};

struct Span {
  TrackId track;
  NameId name;
  Time start, end;
  SpanKind kind = SpanKind::other;
  Release release = Release::start;
  SpanId released_by;   ///< the span that released it; invalid with Release::start
  Time issued;          ///< when the host had issued it (launch); <= start
  Time data_start;      ///< collectives: when the last rank had arrived and data moved; else = start
  Bytes bytes;          ///< payload of a communication, HBM bytes of a kernel; 0 if not counted
  std::int32_t bucket = -1;  ///< DDP bucket index, or -1
  NameId detail;        ///< e.g. "NVLSTree/Simple, 16 channels"; invalid if none
};

/// An arrow between two spans (gradient -> bucket -> collective -> optimizer).
struct Arrow {
  SpanId from, to;
};

/// A piecewise-constant quantity over time (link load, exposed communication).
struct Counter {
  std::string process, name, unit;
  std::vector<std::pair<Time, double>> points;
};

class Timeline {
 public:
  TrackId add_track(std::string process, std::string name);
  NameId intern(std::string_view text);
  SpanId add(const Span& span);
  void connect(SpanId from, SpanId to) { arrows_.push_back({from, to}); }
  void add(Counter counter) { counters_.push_back(std::move(counter)); }

  const std::vector<Track>& tracks() const { return tracks_; }
  const std::vector<Span>& spans() const { return spans_; }
  const std::vector<Arrow>& arrows() const { return arrows_; }
  const std::vector<Counter>& counters() const { return counters_; }
  Span& span(SpanId id) { return spans_[id.index()]; }
  const Span& span(SpanId id) const { return spans_[id.index()]; }
  std::string_view text(NameId id) const { return id.valid() ? std::string_view(names_[id.index()]) : std::string_view(); }

 private:
  std::vector<Track> tracks_;
  std::vector<Span> spans_;
  std::vector<Arrow> arrows_;
  std::vector<Counter> counters_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, NameId> name_ids_;
};

}  // namespace dsim
