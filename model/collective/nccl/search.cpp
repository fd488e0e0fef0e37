#include "model/collective/nccl/search.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

#include "model/collective/nccl/search_speeds.h"

namespace dsim {
namespace {

// GPUs visited in a search before it gives up, and in all searches of a graph (search.cc).
constexpr int steps_same_channels = 1 << 8, steps_other = 1 << 14;
constexpr std::int64_t steps_in_all = std::int64_t{1} << 19;

class GraphSearch {
 public:
  GraphSearch(const SearchMachine& machine, const SearchRequest& request,
              const NcclSettings& settings)
      : m_(machine),
        request_(request),
        speeds_(channel_speeds(machine.compute, machine.nics > 0, settings.version)) {
    const bool ring_or_balanced =
        request.pattern == ChannelPattern::ring || request.pattern == ChannelPattern::balanced_tree;
    cross_nic_ = m_.nics > 1 && ring_or_balanced ? settings.cross_nic.value_or(2) : 0;
    best_.pattern = request.pattern;
    best_.least_channels = request.least_channels;
    best_.most_channels = request.most_channels;
    best_.cross_nic = cross_nic_ == 1 ? 1 : 0;
    find_classes();
    best_.same_channels = same_first();
    best_.type_inside = least_inside_;
    best_.type_outside = least_outside_;
  }

  SearchGraph run() {
    if (best_.pattern == ChannelPattern::nvls && !(m_.nvswitch && m_.compute >= 90)) return best_;
    if (heads()) best_.most_channels = std::min({best_.most_channels, m_.gpus, most_heads});
    if (m_.gpus == 1 && best_.pattern != ChannelPattern::ring) best_.pattern = ChannelPattern::tree;
    // Without NICs all GPUs are heads; two meshes with a slow link between need two channels so
    // that trees can use both.
    if (m_.nics == 0 && best_.pattern == ChannelPattern::nvls)
      best_.least_channels = best_.most_channels;
    if (best_.pattern == ChannelPattern::ring && best_.least_channels == 1 &&
        best_.most_channels >= 2 && two_islands())
      best_.least_channels = 2;
    find_any();
    duplicate();
    raise();
    if (best_.channels == 0 && !heads() && !request_.collnet) fall_back();
    return std::move(best_);
  }

 private:
  static constexpr int most_heads = 32;  // NCCL_MAX_NVLS_ARITY

  bool heads() const {
    return request_.pattern == ChannelPattern::nvls ||
           request_.pattern == ChannelPattern::collnet_direct;
  }
  bool same_first() const { return request_.pattern != ChannelPattern::nvls; }

  void find_classes() {
    least_outside_ = PathType::pix;
    if (m_.gpus > 1) {
      least_inside_ = PathType::dis;
      most_inside_ = PathType::loc;
    }
    for (int a = 0; a < m_.gpus; ++a)
      for (int b = 0; b < m_.gpus; ++b)
        if (a != b) {
          least_inside_ = std::min(least_inside_, m_.between(a, b).type);
          most_inside_ = std::max(most_inside_, m_.between(a, b).type);
        }
    if (m_.nics == 0) return;
    least_outside_ = PathType::dis;
    most_outside_ = PathType::loc;
    for (const SearchPath& path : m_.gpu_nic) {
      least_outside_ = std::min(least_outside_, path.type);
      most_outside_ = std::max(most_outside_, path.type);
    }
  }

  // Groups of GPUs that NVLink joins, with none between them.
  bool two_islands() const {
    const auto n = static_cast<std::size_t>(m_.gpus);
    std::vector<int> group(n), size(n, 0);
    std::iota(group.begin(), group.end(), 0);
    for (int g = 0; g < m_.gpus; ++g)
      for (int p = 0; p < g; ++p)
        if (m_.between(g, p).type == PathType::nvl)
          group[static_cast<std::size_t>(g)] =
              std::min(group[static_cast<std::size_t>(g)], group[static_cast<std::size_t>(p)]);
    for (const int g : group) ++size[static_cast<std::size_t>(g)];
    return std::count_if(size.begin(), size.end(), [](int s) { return s > 1; }) == 2;
  }

  int first_speed(SearchRate most, int channels, double total) const {
    std::size_t i = 0;
    while (i + 1 < speeds_.size() &&
           (speeds_[i] > most || double{1} * speeds_[i] * channels > total))
      ++i;
    return static_cast<int>(i);
  }
  SearchRate speed(int i) const { return speeds_[static_cast<std::size_t>(i)]; }

  SearchEnd attempt(SearchGraph& wanted) {
    int steps = wanted.same_channels ? steps_same_channels : steps_other;
    steps_left_ -= steps;
    left_over_ = steps;
    SearchBound bound;  // only rings and trees have one
    if (!heads()) {
      bound = search_bound(m_, wanted);
      if (hopeless(wanted, bound)) return SearchEnd::exhausted;
    }
    if (!first_of_its_kind(wanted)) return SearchEnd::exhausted;
    const SearchEnd end = search_channels(m_, wanted, bound, best_, steps);
    left_over_ = end == SearchEnd::perfect ? -1 : steps;
    return end;
  }

  // Whether no search of this kind was made: a worse class allowed changes nothing where no path is
  // of that class.
  bool first_of_its_kind(const SearchGraph& wanted) {
    PathType inside = PathType::loc, outside = PathType::loc;
    const auto widen = [](PathType& worst, PathType limit, const std::vector<SearchPath>& paths) {
      for (const SearchPath& path : paths)
        if (path.type <= limit) worst = std::max(worst, path.type);
    };
    widen(inside, wanted.type_inside, m_.gpu_gpu);
    widen(outside, wanted.type_outside, m_.gpu_nic);
    widen(outside, wanted.type_outside, m_.nic_gpu);
    return tried_
        .insert({wanted.pattern, wanted.inside, wanted.outside, inside, outside, wanted.cross_nic,
                 wanted.same_channels, wanted.least_channels, wanted.most_channels})
        .second;
  }

  // Whether links are too few for anything better than what is known.
  bool hopeless(const SearchGraph& wanted, SearchBound bound) const {
    if (bound.channels < std::max(1, wanted.least_channels)) return true;
    if (best_.channels == 0) return false;
    const double target = 1 - (best_.cross_nic - wanted.cross_nic) * .15;
    const double can = static_cast<double>(bound.channels) * wanted.inside,
                 has = double{1} * best_.channels * best_.inside * target;
    if (can != has) return can < has;
    return best_.pattern != wanted.pattern || best_.cross_nic != wanted.cross_nic ||
           bound.channels * bound.hops >= best_.hops;
  }

  bool enough() const { return double{1} * best_.channels * best_.outside >= m_.total; }

  // The first pass: from the highest speed down; at each, more and more is allowed.
  void find_any() {
    SearchGraph wanted = best_;
    double total = m_.total;
    if (m_.gpus > 1 && best_.pattern != ChannelPattern::ring)
      total = total * m_.gpus / (m_.gpus - 1);
    int at = first_speed(m_.best_path, best_.least_channels, total);
    wanted.inside = wanted.outside = speed(at);
    const ChannelPattern pattern = best_.pattern;
    for (;;) {
      if (attempt(wanted) == SearchEnd::perfect || enough()) return;
      // Channels of different ways, unless they cross the sockets of an AMD host.
      if (wanted.same_channels && !(m_.amd && wanted.type_inside == PathType::sys)) {
        wanted.same_channels = false;
        continue;
      }
      wanted.same_channels = same_first();
      steps_left_ += left_over_;
      if (steps_left_ < 0 && best_.channels > 0) return;
      if (m_.compute >= 90 && wanted.pattern == ChannelPattern::balanced_tree) {
        wanted.pattern = ChannelPattern::tree;
        continue;
      }
      wanted.pattern = pattern;
      if (relax(wanted)) continue;
      if (at + 1 < static_cast<int>(speeds_.size()) &&
          (best_.channels == 0 || double{1} * speed(at + 1) / best_.outside > .49)) {
        wanted.inside = wanted.outside = speed(++at);
        continue;
      }
      return;
    }
  }

  // Worse paths between GPUs, then to NICs, then other NICs; false when all have been tried.
  bool relax(SearchGraph& wanted) const {
    const auto next = [](PathType t) { return static_cast<PathType>(static_cast<int>(t) + 1); };
    const bool none = best_.channels == 0;
    const PathType worst = m_.nics > 0 ? wanted.type_outside : most_inside_;
    if (wanted.type_inside < worst && (none || wanted.type_inside < best_.type_inside)) {
      wanted.type_inside = next(wanted.type_inside);
      if (wanted.type_inside < PathType::dis) return true;
    }
    wanted.type_inside = least_inside_;
    if (m_.nics > 0 && wanted.type_outside < most_outside_ &&
        (none || wanted.type_outside < best_.type_outside || wanted.type_outside < PathType::pxn)) {
      wanted.type_outside = next(wanted.type_outside);
      if (wanted.type_outside < PathType::dis) return true;
    }
    wanted.type_outside = least_outside_;
    if (cross_nic_ == 2 && wanted.cross_nic == 0 &&
        (request_.pattern == ChannelPattern::ring ||
         best_.pattern == ChannelPattern::balanced_tree)) {
      wanted.cross_nic = 2;
      return true;
    }
    wanted.cross_nic = cross_nic_ == 1 ? 1 : 0;
    return false;
  }

  // Two slower channels do better than a fast one.
  void duplicate() {
    if (best_.channels == 0 || best_.pattern == ChannelPattern::nvls) return;
    if (best_.inside < 25'000) return;
    if (m_.compute > 80 && best_.inside < 50'000 && best_.channels > 4) return;
    const int had = best_.channels;
    const int now = std::min(2 * had, best_.most_channels);
    const auto grow = [&](std::vector<int>& list, int width) {
      list.resize(static_cast<std::size_t>(now * width));
      for (int i = had * width; i < now * width; ++i)
        list[static_cast<std::size_t>(i)] = list[static_cast<std::size_t>(i - had * width)];
    };
    grow(best_.order, m_.gpus);
    grow(best_.nics, 2);
    const int share = (now + had - 1) / had;
    best_.inside /= share;
    best_.outside /= share;
    best_.channels = now;
  }

  // The second pass: as many channels, but faster. Rings as a whole, trees and CollNet within the
  // node (where two nodes load the NIC half as much), NVLS at the NIC.
  void raise() {
    if (best_.channels == 0) return;
    SearchGraph wanted = best_;
    int at = first_speed(best_.outside, 0, 0);
    wanted.inside = wanted.outside = speed(at);
    wanted.least_channels = best_.channels;
    bool timed_out = false;
    while (!timed_out && at > 0) {
      if (best_.pattern == ChannelPattern::ring) {
        wanted.inside = wanted.outside = speed(--at);
      } else if (best_.pattern == ChannelPattern::nvls && wanted.outside == best_.outside &&
                 wanted.outside < 2 * wanted.inside) {
        wanted.least_channels = wanted.most_channels = best_.channels;
        wanted.outside = speed(--at);
      } else if (wanted.inside == best_.inside && wanted.inside < 2 * wanted.outside) {
        wanted.inside = speed(--at);
      } else {
        break;
      }
      timed_out = attempt(wanted) == SearchEnd::out_of_steps;
    }
  }

  void fall_back() {
    best_.order.resize(static_cast<std::size_t>(m_.gpus));
    std::iota(best_.order.begin(), best_.order.end(), 0);
    best_.nics.assign(2, 0);
    best_.inside = best_.outside = 100;
    best_.type_inside = best_.type_outside = PathType::sys;
    best_.channels = 1;
  }

  const SearchMachine& m_;
  const SearchRequest& request_;
  std::span<const SearchRate> speeds_;
  SearchGraph best_;
  int cross_nic_ = 0;
  PathType least_inside_ = PathType::loc, most_inside_ = PathType::sys;
  PathType least_outside_ = PathType::pix, most_outside_ = PathType::sys;
  std::set<
      std::tuple<ChannelPattern, SearchRate, SearchRate, PathType, PathType, int, bool, int, int>>
      tried_;
  std::int64_t steps_left_ = steps_in_all;
  int left_over_ = 0;
};

}  // namespace

SearchGraph search_graph(const SearchMachine& machine, const SearchRequest& request,
                         const NcclSettings& settings) {
  return GraphSearch(machine, request, settings).run();
}

}  // namespace dsim
