#pragma once
#include <iosfwd>

#include "sim/trace/timeline.h"

namespace dsim {

/// Writes the timeline as Chrome trace events (JSON), which ui.perfetto.dev and chrome://tracing
/// open: processes and threads from the tracks, "X" events with args (bytes, bucket, issued,
/// why it waited), "s"/"f" flow arrows, "C" counters. Times in microseconds with picosecond digits.
/// Streams: memory use does not grow with the number of spans.
void write_perfetto(const Timeline& timeline, std::ostream& out);

}  // namespace dsim
