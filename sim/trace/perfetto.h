#pragma once
#include <iosfwd>

#include "sim/trace/timeline.h"

namespace dsim {

/// Writes the timeline as Chrome trace events (JSON), which ui.perfetto.dev and chrome://tracing
/// open: processes and threads from the tracks, "X" events with args (bytes, bucket, issued,
/// why it waited), "s"/"f" flow arrows, "C" counters. Times in microseconds with picosecond digits.
/// A track whose spans overlap becomes several threads. Streams: beside the timeline it needs two
/// bytes a span.
void write_perfetto(const Timeline& timeline, std::ostream& out);

}  // namespace dsim
