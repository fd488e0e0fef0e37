#include "model/collective/nccl/channel_search.h"

#include <algorithm>
#include <tuple>

namespace dsim {
namespace {

bool is_tree(ChannelPattern p) {
  return p == ChannelPattern::tree || p == ChannelPattern::balanced_tree;
}

class ChannelSearch {
 public:
  ChannelSearch(const SearchMachine& machine, const SearchGraph& wanted, SearchBound bound,
                SearchGraph& best, int steps)
      : m_(machine),
        links_(machine.links),
        nic_left_(machine.nic_rate),
        at_(wanted),
        bound_(bound),
        best_(best),
        steps_(steps) {
    at_.channels = at_.hops = 0;
    const auto most = static_cast<std::size_t>(at_.most_channels);
    at_.order.assign(most * static_cast<std::size_t>(m_.gpus), 0);
    at_.nics.assign(most * 2, 0);
    used_.assign(most * static_cast<std::size_t>(m_.gpus), 0);
    leaving_.resize(static_cast<std::size_t>(m_.gpus));
    next_.resize(static_cast<std::size_t>(m_.gpus * (m_.nics + 1)));
    if (m_.nics > 0) {
      back_to_nic_ = at_.pattern == ChannelPattern::ring ? m_.gpus - 1 : 0;
      every_nic_ = nics_in_order(-1);
    } else if (at_.pattern == ChannelPattern::ring) {
      back_to_first_ = m_.gpus - 1;
    }
  }

  SearchEnd run(int& steps) {
    next_channel();
    steps = steps_;
    if (at_bound_) return SearchEnd::exhausted;
    if (steps_ == perfect) return SearchEnd::perfect;
    return steps_ == 0 ? SearchEnd::out_of_steps : SearchEnd::exhausted;
  }

 private:
  enum class Order : std::uint8_t { free, index, replay };
  static constexpr int perfect = -1;

  // ---- links --------------------------------------------------------------------------------
  bool take(const SearchPath& path, SearchRate rate) {
    for (std::size_t i = 0; i < path.links.size(); ++i) {
      if (charge(path, i, rate)) continue;
      while (i-- > 0) charge(path, i, -rate);
      return false;
    }
    at_.hops += static_cast<int>(path.links.size());
    return true;
  }
  void give(const SearchPath& path, SearchRate rate) {
    for (std::size_t i = 0; i < path.links.size(); ++i) charge(path, i, -rate);
    at_.hops -= static_cast<int>(path.links.size());
  }
  // search.cc followPath: PCIe through an Intel host bridge costs 6/5; before Ampere a GPU that
  // receives from outside loads the way back by 1/8.
  bool charge(const SearchPath& path, std::size_t i, SearchRate rate) {
    SearchLink& link = links_[static_cast<std::size_t>(path.links[i])];
    if (link.pcie && path.intel_bridge) rate = rate * 6 / 5;
    const SearchRate back = link.into_old_gpu && path.from_outside ? rate / 8 : 0;
    SearchLink* reverse = back != 0 ? &links_[static_cast<std::size_t>(link.reverse)] : nullptr;
    if (link.capacity < rate || (reverse && reverse->capacity < back)) return false;
    link.capacity -= rate;
    if (reverse) reverse->capacity -= back;
    return true;
  }

  bool allowed(const SearchPath& path, const SearchPath& back, PathType worst) const {
    if (path.type > worst) return false;
    return !is_tree(at_.pattern) || back.type <= worst;
  }

  // ---- one more channel ------------------------------------------------------------------------
  int* order() { return &at_.order[static_cast<std::size_t>(at_.channels * m_.gpus)]; }
  int* nics() { return &at_.nics[static_cast<std::size_t>(at_.channels) * 2]; }
  const int* previous() const {
    return &at_.order[static_cast<std::size_t>((at_.channels - 1) * m_.gpus)];
  }

  void next_channel() {
    if (m_.nics > 0) return enter_by_nics();
    if (at_.pattern == ChannelPattern::nvls)
      return visit_first(at_.channels % m_.gpus, Order::free);
    if (at_.channels == 0)
      visit_first(0, Order::index);
    else
      visit_first(previous()[0], Order::replay);
    if (at_.channels > 0 && at_.same_channels) return;
    for (int g = 0; g < m_.gpus; ++g) visit_first(g, Order::free);
  }

  void visit_first(int gpu, Order order) {
    char& used = used_[static_cast<std::size_t>(at_.channels * m_.gpus + gpu)];
    used ^= 1;
    visit(gpu, 0, back_to_nic_, back_to_first_, order);
    used ^= 1;
  }

  void enter_by_nics() {
    const bool heads =
        at_.pattern == ChannelPattern::nvls || at_.pattern == ChannelPattern::collnet_direct;
    const auto count = every_nic_.size();
    for (std::size_t i = 0; i < count; ++i) {
      const int nic = every_nic_[(static_cast<std::size_t>(at_.channels) + i) % count];
      // One head a channel: that of the first NIC whose GPU is none yet.
      if (heads && is_head(m_.head_of_nic[static_cast<std::size_t>(nic)])) continue;
      SearchRate& left = nic_left_[static_cast<std::size_t>(nic)];
      if (left >= at_.outside && (heads || in_turn(nic))) {
        nics()[0] = nic;
        left -= at_.outside;
        if (heads)
          try_from_nic(nic, m_.head_of_nic[static_cast<std::size_t>(nic)], Order::free);
        else
          enter(nic);
        left += at_.outside;
      }
      if (heads) return;
    }
  }

  // Odd channels that cross NICs enter where the one before left.
  bool in_turn(int nic) {
    return at_.pattern != ChannelPattern::ring || at_.cross_nic != 2 || at_.channels % 2 == 0 ||
           nic == nics()[-1];
  }

  bool is_head(int gpu) const {
    for (int c = 0; c < at_.channels; ++c)
      if (at_.order[static_cast<std::size_t>(c * m_.gpus)] == gpu) return true;
    return false;
  }

  void enter(int nic) {
    if (at_.channels > 0 && at_.same_channels) {
      try_from_nic(nic, previous()[0], Order::replay);
      return;
    }
    if (at_.channels == 0 && !m_.nvswitch) {
      // The index order sets a reference and does not count.
      const int saved = steps_;
      steps_ = 1 << 10;
      try_from_nic(nic, 0, Order::index);
      steps_ = steps_ == perfect ? perfect : saved;
    }
    for (const int gpu : m_.gpus_of_nic[static_cast<std::size_t>(nic)])
      try_from_nic(nic, gpu, Order::free);
  }

  void try_from_nic(int nic, int gpu, Order order) {
    const SearchPath& path = m_.from_nic(nic, gpu);
    if (!allowed(path, m_.to_nic(gpu, nic), at_.type_outside) || !take(path, at_.outside)) return;
    visit_first(gpu, order);
    give(path, at_.outside);
  }

  void try_gpu(int from, int gpu, int step, int back_to_nic, int back_to_first, Order order) {
    const SearchPath& path = m_.between(from, gpu);
    if (!allowed(path, m_.between(gpu, from), at_.type_inside) || !take(path, at_.inside)) return;
    char& used = used_[static_cast<std::size_t>(at_.channels * m_.gpus + gpu)];
    used ^= 1;
    visit(gpu, step, back_to_nic, back_to_first, order);
    used ^= 1;
    give(path, at_.inside);
  }

  // ---- at a GPU ------------------------------------------------------------------------------
  void visit(int gpu, int step, int back_to_nic, int back_to_first, Order how) {
    if (steps_ <= 0) return;
    --steps_;
    if (step == m_.gpus) return channel_done();
    order()[step] = gpu;
    if (step == back_to_nic) return leave(gpu, step, back_to_first, how);
    if (at_.pattern == ChannelPattern::nvls) return try_multicast(gpu);
    if (at_.pattern == ChannelPattern::collnet_direct) return try_direct(gpu);
    if (step < m_.gpus - 1) {
      if (how == Order::index)
        return try_gpu(gpu, step + 1, step + 1, back_to_nic, back_to_first, how);
      if (how == Order::replay)
        return try_gpu(gpu, previous()[step + 1], step + 1, back_to_nic, back_to_first, how);
      const int sort = back_to_nic == -1 ? 0 : back_to_nic == step + 1 ? 1 : -1;
      return try_next_gpus(gpu, sort, step + 1, back_to_nic, back_to_first, how);
    }
    if (step == back_to_first) {
      const int first = order()[0];
      const SearchPath& path = m_.between(gpu, first);
      if (!allowed(path, m_.between(first, gpu), at_.type_inside) || !take(path, at_.inside))
        return;
      visit(first, step + 1, back_to_nic, -1, how);
      give(path, at_.inside);
      return;
    }
    visit(gpu, m_.gpus, -1, -1, how);
  }

  void leave(int gpu, int step, int back_to_first, Order how) {
    const int entered = nics()[0];
    auto& leaving = leaving_[static_cast<std::size_t>(gpu)];
    if (leaving.empty()) leaving = nics_in_order(gpu);
    for (const int nic : leaving) {
      if (at_.pattern == ChannelPattern::tree && nic != entered) continue;
      if (at_.pattern == ChannelPattern::ring && at_.cross_nic == 2) {
        if (at_.channels % 2 == 1 && nic != nics()[-2]) continue;
      } else if (at_.cross_nic == 0 && nic != entered) {
        continue;
      }
      int then = -1;
      SearchRate rate = at_.outside;
      if (at_.pattern == ChannelPattern::balanced_tree) {
        if (step == 0)
          then = 1;
        else if (nic != nics()[1])
          continue;
        rate /= 2;
      }
      const SearchPath& path = m_.to_nic(gpu, nic);
      if (!allowed(path, m_.from_nic(nic, gpu), at_.type_outside) || !take(path, rate)) continue;
      nics()[1] = nic;
      visit(gpu, step, then, back_to_first, how);
      give(path, rate);
    }
  }

  // NVLS: every GPU reads from and writes to the switch once, the head twice.
  void try_multicast(int head) {
    int taken = 0;
    const auto part = [&](int i) -> std::pair<const SearchPath&, SearchRate> {
      const int gpu = i % m_.gpus;
      const auto g = static_cast<std::size_t>(gpu);
      return {i < m_.gpus ? m_.from_switch[g] : m_.to_switch[g],
              gpu == head ? 2 * at_.inside : at_.inside};
    };
    const int parts = 2 * m_.gpus;
    for (; taken < parts; ++taken) {
      const auto [path, rate] = part(taken);
      if (path.links.empty() || !take(path, rate)) break;
    }
    if (taken == parts) visit(head, m_.gpus, -1, -1, Order::free);
    while (taken-- > 0) {
      const auto [path, rate] = part(taken);
      give(path, rate);
    }
  }

  // CollNet direct: the head exchanges 1/(n-1) of the channel with every other GPU.
  void try_direct(int head) {
    const SearchRate rate = at_.inside / std::max(1, m_.gpus - 1);
    std::vector<const SearchPath*> taken;
    bool fits = true;
    for (int i = 0; i < 2 * m_.gpus && fits; ++i) {
      const int other = i % m_.gpus;
      if (other == head) continue;
      const SearchPath& path = i < m_.gpus ? m_.between(head, other) : m_.between(other, head);
      fits = path.type <= at_.type_inside && take(path, rate);
      if (fits) taken.push_back(&path);
    }
    if (fits) visit(head, m_.gpus, -1, -1, Order::free);
    for (const SearchPath* path : taken) give(*path, rate);
  }

  void channel_done() {
    ++at_.channels;
    if (better()) {
      best_ = at_;
      if (at_.channels == at_.most_channels) steps_ = perfect;
      // Nothing better can come: the rest of the steps would find nothing.
      if (steps_ > 0 && at_.channels == bound_.channels &&
          at_.hops <= bound_.channels * bound_.hops) {
        at_bound_ = true;
        steps_ = 0;
      }
    }
    if (at_.channels < at_.most_channels) next_channel();
    --at_.channels;
  }

  bool better() const {
    if (at_.channels < at_.least_channels) return false;
    if (at_.pattern == ChannelPattern::nvls)
      return (at_.channels > best_.channels && at_.channels <= m_.gpus) ||
             at_.channels * at_.outside > best_.channels * best_.outside;
    // A path that stays at one NIC may be 15 % slower for each level of crossing.
    const double target = 1 - (best_.cross_nic - at_.cross_nic) * .15;
    const double mine = double{1} * at_.channels * at_.inside,
                 other = double{1} * best_.channels * best_.inside * target;
    if (mine != other) return mine > other;
    return at_.pattern == best_.pattern && at_.cross_nic == best_.cross_nic &&
           at_.hops < best_.hops;
  }

  // ---- orders in which things are tried
  // -----------------------------------------------------------
  bool used(int gpu) const {
    return used_[static_cast<std::size_t>(at_.channels * m_.gpus + gpu)] != 0;
  }

  // GPUs not yet in the channel. sort = 0: near this GPU; 1: near the NIC; -1: those near the NIC
  // last where NVLink does not care. An NVSwitch likes few partners: neighbours by index come
  // first.
  void try_next_gpus(int gpu, int sort, int step, int back_to_nic, int back_to_first, Order how) {
    const auto& order = gpus_in_order(gpu, sort);
    int first = -1, second = -1;
    if (m_.nvswitch) {
      const int before = (gpu + m_.gpus - 1) % m_.gpus, after = (gpu + 1) % m_.gpus;
      const bool ring = at_.pattern == ChannelPattern::ring;
      const bool balanced = at_.pattern == ChannelPattern::balanced_tree;
      first = balanced ? before : after;
      second = ring ? before : balanced ? after : -1;
      if (second == first) second = -1;
      for (const int g : {first, second})
        if (g >= 0 && !used(g)) try_gpu(gpu, g, step, back_to_nic, back_to_first, how);
    }
    const auto next = [&](int g) {
      if (g != first && g != second && !used(g))
        try_gpu(gpu, g, step, back_to_nic, back_to_first, how);
    };
    if (sort == -1 && alike(gpu, order))
      std::for_each(order.rbegin(), order.rend(), next);
    else
      std::for_each(order.begin(), order.end(), next);
  }

  // Whether NVLink does not care which of the GPUs left comes next.
  bool alike(int gpu, const std::vector<int>& order) const {
    const SearchPath* one = nullptr;
    for (const int g : order) {
      if (used(g)) continue;
      const SearchPath& path = m_.between(gpu, g);
      if (one && (one->rate != path.rate || one->links.size() != path.links.size())) return false;
      one = &path;
    }
    return true;
  }

  const std::vector<int>& gpus_in_order(int gpu, int sort) {
    const int entered = sort != 0 ? nics()[0] : -1;
    auto& known = next_[static_cast<std::size_t>((entered + 1) * m_.gpus + gpu)];
    if (!known.empty()) return known;
    const auto key = [&](int g) {
      const SearchPath& inside = m_.between(gpu, g);
      const SearchPath* outside = entered >= 0 ? &m_.from_nic(entered, g) : nullptr;
      return std::tuple(outside ? -outside->rate : 0,
                        outside ? -m_.pcie_rate[static_cast<std::size_t>(g)] : 0,
                        outside ? outside->links.size() : 0, -inside.rate, inside.links.size(),
                        (g - gpu + m_.gpus) % m_.gpus);
    };
    for (int g = 0; g < m_.gpus; ++g)
      if (g != gpu && !m_.between(gpu, g).links.empty()) known.push_back(g);
    std::sort(known.begin(), known.end(), [&](int a, int b) { return key(a) < key(b); });
    return known;
  }

  // NICs a channel may use at this GPU (-1: at any), the GPU's own first, then by class.
  std::vector<int> nics_in_order(int gpu) const {
    std::vector<int> result;
    const auto add = [&](int nic) {
      if (std::find(result.begin(), result.end(), nic) == result.end()) result.push_back(nic);
    };
    const int from = gpu < 0 ? 0 : gpu, to = gpu < 0 ? m_.gpus : gpu + 1;
    for (int g = from; g < to; ++g)
      for (const int nic : m_.nics_of_gpu[static_cast<std::size_t>(g)]) add(nic);
    for (int type = 0; type <= static_cast<int>(at_.type_outside); ++type)
      for (int g = from; g < to; ++g)
        for (int nic = 0; nic < m_.nics; ++nic)
          if (static_cast<int>(m_.to_nic(g, nic).type) == type) add(nic);
    return result;
  }

  const SearchMachine& m_;
  std::vector<SearchLink> links_;
  std::vector<SearchRate> nic_left_;
  SearchGraph at_;
  SearchBound bound_;
  SearchGraph& best_;
  int steps_;
  bool at_bound_ = false;
  int back_to_nic_ = -1, back_to_first_ = -1;
  std::vector<char> used_;  // [channel * gpus + gpu]
  std::vector<int> every_nic_;
  std::vector<std::vector<int>> leaving_;  // nics_in_order by GPU, once asked
  std::vector<std::vector<int>> next_;     // gpus_in_order by NIC (from -1) and GPU, once asked
};

}  // namespace

SearchEnd search_channels(const SearchMachine& machine, const SearchGraph& wanted,
                          SearchBound bound, SearchGraph& best, int& steps) {
  return ChannelSearch(machine, wanted, bound, best, steps).run(steps);
}

}  // namespace dsim
