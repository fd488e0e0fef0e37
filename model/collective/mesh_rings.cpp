#include "model/collective/mesh_rings.h"

#include <algorithm>
#include <cmath>

namespace dsim {

namespace {

// Backtracking over directed Hamiltonian cycles of a multigraph whose links are used up one by one.
class RingSearch {
 public:
  RingSearch(std::vector<std::vector<int>> links, std::size_t wanted)
      : links_(std::move(links)), wanted_(wanted) {}

  std::vector<std::vector<std::uint32_t>> run() {
    extend();
    return best_;
  }

 private:
  // Looks for one more ring after those in rings_; true when nothing better can come.
  bool extend() {
    if (rings_.size() > best_.size()) best_ = rings_;
    if (best_.size() >= wanted_) return true;
    std::vector<std::uint32_t> path{0};
    std::vector<char> seen(links_.size(), 0);
    seen[0] = 1;
    return walk(path, seen);
  }

  bool walk(std::vector<std::uint32_t>& path, std::vector<char>& seen) {
    if (++visited_ > budget) return true;
    const std::uint32_t here = path.back();
    if (path.size() == links_.size()) {
      if (links_[here][0] == 0) return false;
      take(path, -1);
      rings_.push_back(path);
      const bool stop = extend();
      rings_.pop_back();
      take(path, +1);
      return stop;
    }
    // Neighbours with most links left first: they must be used most often.
    std::vector<std::uint32_t> next;
    for (std::uint32_t to = 0; to < links_.size(); ++to)
      if (!seen[to] && links_[here][to] > 0) next.push_back(to);
    std::stable_sort(next.begin(), next.end(), [&](std::uint32_t a, std::uint32_t b) {
      return links_[here][a] > links_[here][b];
    });
    for (const std::uint32_t to : next) {
      seen[to] = 1;
      path.push_back(to);
      const bool stop = walk(path, seen);
      path.pop_back();
      seen[to] = 0;
      if (stop) return true;
    }
    return false;
  }

  void take(const std::vector<std::uint32_t>& path, int change) {
    for (std::size_t i = 0; i < path.size(); ++i)
      links_[path[i]][path[(i + 1) % path.size()]] += change;
  }

  static constexpr long budget = 400'000;  // steps; the meshes we know need a few thousand
  std::vector<std::vector<int>> links_;
  std::size_t wanted_;
  long visited_ = 0;
  std::vector<std::vector<std::uint32_t>> rings_, best_;
};

}  // namespace

std::vector<std::vector<std::uint32_t>> mesh_rings(const Communicator& c,
                                                   const std::vector<std::uint32_t>& ranks) {
  const std::size_t n = ranks.size();
  if (n < 2) return {};
  // Rates of direct NVLink connections; the slowest counts as one link.
  std::vector<std::vector<double>> rate(n, std::vector<double>(n, 0));
  double unit = 0;
  Route route;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      if (i == j) continue;
      c.topology->route(c.gpus[ranks[i]], c.gpus[ranks[j]], c.routing, {}, route);
      const bool direct =
          std::all_of(route.links.begin(), route.links.end(), [&](const LinkShare& l) {
            const Link link = c.topology->link(l.link);
            return link.kind == LinkKind::nvlink &&
                   link.from == c.topology->gpu_vertex(c.gpus[ranks[i]]) &&
                   link.to == c.topology->gpu_vertex(c.gpus[ranks[j]]);
          });
      if (!direct) continue;
      for (const LinkShare& l : route.links)
        rate[i][j] += c.topology->link(l.link).bandwidth.bytes_per_second;
      if (unit == 0 || rate[i][j] < unit) unit = rate[i][j];
    }
  if (unit == 0) return {};
  std::vector<std::vector<int>> links(n, std::vector<int>(n, 0));
  std::size_t wanted = 1u << 20;
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t degree = 0;
    for (std::size_t j = 0; j < n; ++j) {
      links[i][j] = static_cast<int>(std::lround(rate[i][j] / unit));
      degree += static_cast<std::size_t>(links[i][j]);
    }
    wanted = std::min(wanted, degree);
  }
  auto rings = RingSearch(std::move(links), wanted).run();
  for (auto& ring : rings)
    for (auto& member : ring) member = ranks[member];
  return rings;
}

}  // namespace dsim
