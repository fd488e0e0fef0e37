#include "sim/trace/timeline.h"

#include <utility>

namespace dsim {

TrackId Timeline::add_track(std::string process, std::string name) {
  tracks_.push_back({std::move(process), std::move(name)});
  return TrackId{tracks_.size() - 1};
}

NameId Timeline::intern(std::string_view text) {
  const auto [entry, added] = name_ids_.try_emplace(std::string(text), NameId{names_.size()});
  if (added) names_.emplace_back(text);
  return entry->second;
}

SpanId Timeline::add(const Span& span) {
  spans_.push_back(span);
  return SpanId{spans_.size() - 1};
}

}  // namespace dsim
