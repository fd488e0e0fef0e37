#include "model/collective/mesh_rings.h"

#include <algorithm>
#include <cmath>

#include "sim/network/link_defaults.h"

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

// Links between the ranks of a node: the rate of direct NVLink connections over that of the
// slowest.
std::vector<std::vector<int>> mesh_links(const Communicator& c,
                                         const std::vector<std::uint32_t>& ranks) {
  const std::size_t n = ranks.size();
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
            return is_gpu_link(link.kind) &&
                   link.from == c.topology->gpu_vertex(c.gpus[ranks[i]]) &&
                   link.to == c.topology->gpu_vertex(c.gpus[ranks[j]]);
          });
      if (!direct) continue;
      for (const LinkShare& l : route.links)
        rate[i][j] += c.topology->link(l.link).bandwidth.bytes_per_second;
      if (unit == 0 || rate[i][j] < unit) unit = rate[i][j];
    }
  std::vector<std::vector<int>> links(n, std::vector<int>(n, 0));
  if (unit > 0)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        links[i][j] = static_cast<int>(std::lround(rate[i][j] / unit));
  return links;
}

// The Hamiltonian path from `path.front()` to a vertex of `ends` whose links are used least:
// smallest sum of uses per link. Few vertices, so every path is tried.
void best_path(const std::vector<std::vector<int>>& links,
               const std::vector<std::vector<double>>& used, const std::vector<char>& ends,
               std::vector<std::uint32_t>& path, std::vector<char>& seen, double cost,
               double& best_cost, std::vector<std::uint32_t>& best) {
  if (cost >= best_cost) return;
  const std::uint32_t here = path.back();
  if (path.size() == links.size()) {
    if (!ends[here]) return;
    best_cost = cost;
    best = path;
    return;
  }
  for (std::uint32_t to = 0; to < links.size(); ++to) {
    if (seen[to] || links[here][to] == 0) continue;
    const double load = (used[here][to] + 1) / links[here][to];
    seen[to] = 1;
    path.push_back(to);
    best_path(links, used, ends, path, seen, cost + load * load, best_cost, best);
    path.pop_back();
    seen[to] = 0;
  }
}

}  // namespace

std::vector<std::vector<std::uint32_t>> mesh_rings(const Communicator& c,
                                                   const std::vector<std::uint32_t>& ranks) {
  const std::size_t n = ranks.size();
  if (n < 2) return {};
  auto links = mesh_links(c, ranks);
  std::size_t wanted = 1u << 20;
  for (const auto& row : links) {
    std::size_t degree = 0;
    for (const int count : row) degree += static_cast<std::size_t>(count);
    wanted = std::min(wanted, degree);
  }
  if (wanted == 0) return {};
  auto rings = RingSearch(std::move(links), wanted).run();
  for (auto& ring : rings)
    for (auto& member : ring) member = ranks[member];
  return rings;
}

std::vector<std::uint32_t> mesh_path(const Communicator& c, const std::vector<std::uint32_t>& ranks,
                                     const std::vector<std::uint32_t>& ends,
                                     std::vector<std::vector<double>>& used) {
  const std::size_t n = ranks.size();
  const auto links = mesh_links(c, ranks);
  if (used.empty()) used.assign(n, std::vector<double>(n, 0));
  std::vector<char> is_end(n, 0);
  for (std::size_t i = 0; i < n; ++i)
    is_end[i] = std::count(ends.begin(), ends.end(), ranks[i]) > 0;
  std::vector<std::uint32_t> best;
  double best_cost = 1e300;
  for (std::uint32_t start = 0; start < n; ++start) {
    if (!is_end[start]) continue;
    std::vector<std::uint32_t> path{start};
    std::vector<char> seen(n, 0);
    seen[start] = 1;
    best_path(links, used, is_end, path, seen, 0, best_cost, best);
  }
  for (std::size_t i = 0; i + 1 < best.size(); ++i) used[best[i]][best[i + 1]] += 1;
  for (auto& member : best) member = ranks[member];
  return best;
}

}  // namespace dsim
