#include "model/collective/nccl/search_machine.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>

#include "model/collective/nccl/search_speeds.h"
#include "sim/base/error.h"
#include "sim/network/cluster_topology.h"
#include "sim/network/link_defaults.h"

namespace dsim {
namespace {

SearchRate megabytes(Bandwidth rate) {
  return static_cast<SearchRate>(std::lround(std::min(rate.bytes_per_second * 1e-6, 2e9)));
}

class MachineBuilder {
 public:
  MachineBuilder(const Communicator& c, std::size_t node, const NcclSettings& settings)
      : c_(c),
        settings_(settings),
        type_(node_type_of(c, node)),
        first_gpu_(c.gpus[c.nodes[node].front()]) {
    m_.compute = compute_capability(c.architecture);
    m_.amd = type_.cpu_vendor == "amd";
    m_.nvlink_rate = nvlink_rate(m_.compute, settings.version);
    for (const std::uint32_t rank : c.nodes[node])
      m_.local_index.push_back(static_cast<int>(c.topology->local_index(c.gpus[rank])));
    std::sort(m_.local_index.begin(), m_.local_index.end());
    m_.gpus = static_cast<int>(m_.local_index.size());
    if (c.nodes.size() > 1) group_nics();
    m_.nics = static_cast<int>(devices_.size());
  }

  SearchMachine build() {
    add_nvlink();
    add_gpu_paths();
    add_nic_paths();
    add_relays();
    choose_nics();
    sum_up();
    return std::move(m_);
  }

 private:
  VertexId gpu_vertex(int gpu) const {
    return type_.gpus[static_cast<std::size_t>(m_.local_index[static_cast<std::size_t>(gpu)])];
  }
  VertexKind kind(VertexId v) const { return type_.graph.vertex(v).kind; }

  bool joins_gpus(const Link& link) const {
    const auto end = [&](VertexId v) {
      return kind(v) == VertexKind::gpu || kind(v) == VertexKind::nvswitch;
    };
    return is_gpu_link(link.kind) && end(link.from) && end(link.to);
  }

  // NVLinks that a link of the file stands for; where it does not say, by what one carries: 25 GB/s
  // in generations 2 to 4, 50 in 5.
  SearchRate links_of(const Link& link) const {
    if (link.links > 1) return static_cast<SearchRate>(link.links);
    const double one = m_.compute >= 100 ? 50e9 : 25e9;
    return std::max(1, static_cast<SearchRate>(link.bandwidth.bytes_per_second / one + 1e-9));
  }

  SearchRate nccl_rate(const Link& link) const {
    switch (link.kind) {
      case LinkKind::nvlink:
        return links_of(link) * m_.nvlink_rate;
      case LinkKind::pcie:
        return pcie_rate(link.bandwidth);
      default:
        return megabytes(link.bandwidth);
    }
  }

  std::int32_t add_pair(SearchRate rate, bool pcie) {
    const auto first = static_cast<std::int32_t>(m_.links.size());
    m_.links.push_back({rate, first + 1, pcie, false});
    m_.links.push_back({rate, first, pcie, false});
    return first;
  }

  // A rank sees the NICs of its own host alone. An NVLink domain of several hosts (trays) is one node
  // here: a NIC is of a host with a rank if there is a way to it without NVLink.
  bool of_our_hosts(std::size_t nic) const {
    return std::any_of(m_.local_index.begin(), m_.local_index.end(), [&](int gpu) {
      return !type_.nic_path(static_cast<std::size_t>(gpu), nic).nvlink_only &&
             type_.nic_path(static_cast<std::size_t>(gpu), nic).path_class != PathClass::pxn;
    });
  }

  // What NCCL takes for a NIC. The EFA plugin (aws/aws-ofi-nccl, RDMA protocol) makes one device of
  // the several NICs of a GPU; NCCL itself one of an adapter's ports since 2.20.
  void group_nics() {
    std::vector<char> grouped(type_.nics.size(), 0);
    std::map<std::size_t, std::vector<std::size_t>> groups;  // by first NIC
    for (const auto& mine : type_.nics_of) {
      const bool ports = type_.nic_spec.ports > 1 && settings_.version >= NcclVersion{2, 20, 0};
      if ((type_.nic_spec.kind != LinkKind::efa && !ports) || mine.size() < 2) continue;
      groups[mine.front()] = mine;
      for (const std::size_t nic : mine) grouped[nic] = 1;
    }
    for (std::size_t nic = 0; nic < type_.nics.size(); ++nic)
      if (!grouped[nic] && type_.uses(nic) && of_our_hosts(nic)) groups[nic] = {nic};
    for (auto& [first, nics] : groups) {
      m_.nic_index.push_back(static_cast<int>(first));
      devices_.push_back(std::move(nics));
    }
  }

  // NVLinks to NVSwitches are one port; those between two GPUs are one link.
  void add_nvlink() {
    const auto n = static_cast<std::size_t>(m_.gpus);
    std::vector<SearchRate> port(n, 0);
    direct_.assign(n * n, -1);
    nvlink_total_.assign(n, 0);
    for (std::size_t l = 0; l < type_.graph.links.size(); ++l) {
      const Link& link = type_.graph.links[l];
      if (!type_.open(LinkId(l)) || !joins_gpus(link) || kind(link.from) != VertexKind::gpu)
        continue;
      const int from = member(link.from), to = member(link.to);
      if (from < 0) continue;
      const SearchRate rate = nccl_rate(link);
      if (kind(link.to) == VertexKind::nvswitch) {
        port[static_cast<std::size_t>(from)] += rate;
        nvlink_total_[static_cast<std::size_t>(from)] += rate;
      } else if (to >= 0) {
        nvlink_total_[static_cast<std::size_t>(from)] += rate;
        if (direct_[index(from, to)] < 0) {
          direct_[index(from, to)] = add_pair(rate, false);
          direct_[index(to, from)] = direct_[index(from, to)] + 1;
        }
      }
    }
    m_.nvswitch = std::any_of(port.begin(), port.end(), [](SearchRate r) { return r > 0; });
    if (!m_.nvswitch) return;
    m_.to_switch.resize(n);
    m_.from_switch.resize(n);
    for (std::size_t g = 0; g < n; ++g) {
      if (port[g] == 0) continue;
      const std::int32_t up = add_pair(port[g], false);
      m_.links[static_cast<std::size_t>(up) + 1].into_old_gpu = m_.compute < 80;
      m_.to_switch[g] = finished({up}, PathType::nvl);
      m_.from_switch[g] = finished({up + 1}, PathType::nvl);
    }
  }

  int member(VertexId vertex) const {
    for (int g = 0; g < m_.gpus; ++g)
      if (gpu_vertex(g) == vertex) return g;
    return -1;
  }
  std::size_t index(int from, int to) const {
    return static_cast<std::size_t>(from * m_.gpus + to);
  }

  SearchPath finished(std::vector<std::int32_t> links, PathType type) const {
    SearchPath path;
    path.type = type;
    path.rate = 5'000'000;  // topo.h LOC_BW
    for (const std::int32_t l : links)
      path.rate = std::min(path.rate, m_.links[static_cast<std::size_t>(l)].capacity);
    path.links = std::move(links);
    return path;
  }

  // The search's link for a link of the node, made when first met.
  std::int32_t search_link(LinkId id) {
    if (const auto found = known_.find(id.index()); found != known_.end()) return found->second;
    const Link& link = type_.graph.link(id);
    const std::int32_t made = add_pair(nccl_rate(link), link.kind == LinkKind::pcie);
    const auto twin = type_.graph.reverse[id.index()];
    const auto mark = [&](const Link& l, std::int32_t at) {
      m_.links[static_cast<std::size_t>(at)].into_old_gpu =
          m_.compute < 80 && kind(l.to) == VertexKind::gpu;
    };
    mark(link, made);
    mark(type_.graph.link(twin), made + 1);
    known_[id.index()] = made;
    known_[twin.index()] = made + 1;
    return made;
  }

  // A way over PCIe and CPUs, classed by what it passes.
  SearchPath host_path(const std::vector<LinkId>& way, bool from_gpu) {
    std::vector<std::int32_t> links;
    int cpus = 0, switches = 0, coherent = 0;
    bool intel = false;
    for (const LinkId l : way) {
      links.push_back(search_link(l));
      const Link& link = type_.graph.link(l);
      cpus += kind(link.to) == VertexKind::cpu;
      switches += kind(link.to) == VertexKind::pcie_switch;
      coherent += link.kind == LinkKind::c2c;
    }
    PathType type = PathType::pix;
    if (cpus > 1)
      type = PathType::sys;
    else if (cpus == 1)
      type = coherent > 0 && settings_.version >= NcclVersion{2, 27, 0} ? PathType::p2c
                                                                        : PathType::phb;
    else if (switches > 1)
      type = PathType::pxb;
    if (cpus > 0 && type_.cpu_vendor == "intel") intel = true;
    SearchPath path = finished(std::move(links), type);
    path.intel_bridge = intel && type == PathType::phb && from_gpu;
    return path;
  }

  // The shortest way without NVLink, for GPUs whose NVLink way passes a GPU that is no member.
  std::vector<LinkId> around(VertexId from, VertexId to) const {
    const Graph& graph = type_.graph;
    std::vector<LinkId> by(graph.vertices.size());
    std::vector<char> seen(graph.vertices.size(), 0);
    std::deque<VertexId> queue{from};
    seen[from.index()] = 1;
    while (!queue.empty() && !seen[to.index()]) {
      const VertexId here = queue.front();
      queue.pop_front();
      for (std::size_t l = 0; l < graph.links.size(); ++l) {
        const Link& link = graph.links[l];
        const VertexKind end = kind(link.to);
        if (link.from != here || seen[link.to.index()] || joins_gpus(link) ||
            !type_.open(LinkId(l)))
          continue;
        if (link.to != to && (end == VertexKind::gpu || end == VertexKind::nic)) continue;
        seen[link.to.index()] = 1;
        by[link.to.index()] = LinkId(l);
        queue.push_back(link.to);
      }
    }
    std::vector<LinkId> way;
    if (!seen[to.index()]) return way;
    for (VertexId v = to; v != from; v = graph.link(by[v.index()]).from)
      way.push_back(by[v.index()]);
    std::reverse(way.begin(), way.end());
    return way;
  }

  SearchPath gpu_path(int from, int to) {
    const LocalPath& way =
        type_.gpu_path(static_cast<std::size_t>(m_.local_index[static_cast<std::size_t>(from)]),
                       static_cast<std::size_t>(m_.local_index[static_cast<std::size_t>(to)]));
    if (!way.nvlink_only) return host_path(way.links, true);
    const std::int32_t direct = direct_[index(from, to)];
    if (direct >= 0) return finished({direct}, PathType::nvl);
    if (m_.nvswitch && !m_.to_switch[static_cast<std::size_t>(from)].links.empty() &&
        !m_.from_switch[static_cast<std::size_t>(to)].links.empty())
      return finished({m_.to_switch[static_cast<std::size_t>(from)].links[0],
                       m_.from_switch[static_cast<std::size_t>(to)].links[0]},
                      PathType::nvl);
    SearchPath best;
    for (int via = 0; via < m_.gpus; ++via) {
      const std::int32_t one = direct_[index(from, via)], two = direct_[index(via, to)];
      if (one < 0 || two < 0) continue;
      SearchPath path = finished({one, two}, PathType::nvb);
      if (path.rate > best.rate) best = std::move(path);
    }
    if (!best.links.empty()) return best;
    return host_path(around(gpu_vertex(from), gpu_vertex(to)), true);
  }

  void add_gpu_paths() {
    m_.gpu_gpu.resize(static_cast<std::size_t>(m_.gpus * m_.gpus));
    for (int from = 0; from < m_.gpus; ++from)
      for (int to = 0; to < m_.gpus; ++to)
        m_.gpu_gpu[index(from, to)] = from == to ? finished({}, PathType::loc) : gpu_path(from, to);
  }

  // The node type says what its NICs carry; in an explicit graph their cables do.
  std::vector<SearchRate> rates_of_nics() const {
    std::vector<double> rates(type_.nics.size(), type_.nic_spec.bandwidth.bytes_per_second);
    if (!rates.empty() && rates[0] <= 0) {
      const Topology& t = *c_.topology;
      const std::size_t start =
          t.gpu_vertex(first_gpu_).index() - type_.gpus[t.local_index(first_gpu_)].index();
      for (std::size_t l = 0; l < t.link_count(); ++l) {
        const Link link = t.link(LinkId(l));
        if (!is_network(link.kind)) continue;
        for (std::size_t n = 0; n < rates.size(); ++n)
          if (link.from.index() == start + type_.nics[n].index())
            rates[n] += link.bandwidth.bytes_per_second;
      }
    }
    std::vector<SearchRate> result;  // topo.cc: an unknown NIC is 10 Gb/s
    for (const auto& nics : devices_) {
      double rate = 0;
      for (const std::size_t nic : nics) rate += rates[nic];
      result.push_back(rate > 0 ? megabytes({rate}) : 1'250);
    }
    return result;
  }

  void add_nic_paths() {
    const auto gpus = static_cast<std::size_t>(m_.gpus), nics = static_cast<std::size_t>(m_.nics);
    m_.gpu_nic.resize(gpus * nics);
    m_.nic_gpu.resize(gpus * nics);
    m_.nic_rate = rates_of_nics();
    for (std::size_t n = 0; n < nics; ++n) {
      const std::int32_t cable = add_pair(m_.nic_rate[n], false);
      const auto members = static_cast<SearchRate>(devices_[n].size());
      for (std::size_t g = 0; g < gpus; ++g) {
        const LocalPath& way =
            type_.nic_path(static_cast<std::size_t>(m_.local_index[g]), devices_[n].front());
        SearchPath out = host_path(way.links, true);
        if (members > 1) {
          // Each member has a PCIe link of its own.
          const auto last = static_cast<std::size_t>(out.links.back());
          for (const std::size_t l : {last, static_cast<std::size_t>(m_.links[last].reverse)})
            m_.links[l].capacity = members * nccl_rate(type_.graph.link(way.links.back()));
        }
        std::vector<std::int32_t> back{cable + 1};
        for (auto l = out.links.rbegin(); l != out.links.rend(); ++l)
          back.push_back(m_.links[static_cast<std::size_t>(*l)].reverse);
        out.links.push_back(cable);
        const bool intel = out.intel_bridge;
        out = finished(std::move(out.links), out.type);
        out.intel_bridge = intel;
        m_.nic_gpu[n * gpus + g] = finished(std::move(back), out.type);
        m_.nic_gpu[n * gpus + g].from_outside = true;
        m_.gpu_nic[g * nics + n] = std::move(out);
      }
    }
  }

  // The nearest of `count` paths: most bandwidth, then the best class (paths.cc ncclTopoGetLocal).
  template <class Path>
  static std::vector<int> nearest(int count, Path path) {
    std::vector<int> result;
    SearchRate rate = 0;
    PathType type = PathType::dis;
    for (int i = 0; i < count; ++i) {
      const SearchPath& p = path(i);
      if (p.rate > rate || (p.rate == rate && p.type < type)) {
        rate = p.rate;
        type = p.type;
        result.clear();
      }
      if (p.rate == rate && p.type == type) result.push_back(i);
    }
    return result;
  }

  void choose_nics() {
    m_.nics_of_gpu.resize(static_cast<std::size_t>(m_.nics > 0 ? m_.gpus : 0));
    m_.gpus_of_nic.clear();
    for (int n = 0; n < m_.nics; ++n)
      m_.gpus_of_nic.push_back(
          nearest(m_.gpus, [&](int g) -> const SearchPath& { return m_.from_nic(n, g); }));
    for (int g = 0; g < m_.gpus && m_.nics > 0; ++g) {
      // GPUs that share NICs start at different ones; each takes its part of them in turn.
      const auto near =
          nearest(m_.nics, [&](int n) -> const SearchPath& { return m_.to_nic(g, n); });
      const auto nics = static_cast<int>(near.size());
      const auto sharers =
          static_cast<int>(m_.gpus_of_nic[static_cast<std::size_t>(near.front())].size());
      const int first = mirrored(m_.local_index[static_cast<std::size_t>(g)], nics);
      auto& mine = m_.nics_of_gpu[static_cast<std::size_t>(g)];
      mine.clear();
      for (int k = 0; k < std::max(1, (nics + sharers - 1) / sharers); ++k)
        mine.push_back(near[static_cast<std::size_t>((first + k) % nics)]);
    }
    m_.head_of_nic.clear();
    for (int n = 0; n < m_.nics; ++n) m_.head_of_nic.push_back(head(n));
  }

  // NCCL spreads device numbers over a power of two of NICs by reversing their bits (topo.cc).
  static int mirrored(int device, int nics) {
    if (nics <= 0 || (nics & (nics - 1)) != 0) return device;
    int result = 0;
    for (int bit = 1, other = nics / 2; other > 0; bit *= 2, other /= 2)
      if (device & bit) result |= other;
    return result;
  }

  int head(int nic) const {
    const auto& near = m_.gpus_of_nic[static_cast<std::size_t>(nic)];
    for (std::size_t k = 0; k < static_cast<std::size_t>(m_.nics); ++k)
      for (const int g : near) {
        const auto& mine = m_.nics_of_gpu[static_cast<std::size_t>(g)];
        if (k < mine.size() && mine[k] == nic) return g;
      }
    return near.front();
  }

  // PXN: a GPU reaches a NIC over NVLink and the GPU beside it; sending only (paths.cc, from 2.12).
  void add_relays() {
    if (m_.nics == 0) return;
    choose_nics();
    if (settings_.pxn_disable.value_or(false) || settings_.version < NcclVersion{2, 12, 0}) return;
    const auto before = m_.gpu_nic;
    for (int n = 0; n < m_.nics; ++n) {
      const int relay = m_.head_of_nic[static_cast<std::size_t>(n)];
      const SearchPath& near = before[static_cast<std::size_t>(relay * m_.nics + n)];
      if (near.type > PathType::p2c) continue;
      for (int g = 0; g < m_.gpus; ++g) {
        SearchPath& own = m_.gpu_nic[static_cast<std::size_t>(g * m_.nics + n)];
        const SearchPath& over = m_.between(g, relay);
        if (g == relay || over.type > PathType::nvl) continue;
        if (near.rate <= own.rate && own.type <= PathType::pxn) continue;
        auto links = over.links;
        links.insert(links.end(), near.links.begin(), near.links.end());
        own = finished(std::move(links), PathType::pxn);
      }
    }
  }

  void sum_up() {
    for (int g = 0; g < m_.gpus; ++g) {
      SearchRate pcie = 0;
      for (const Link& link : type_.graph.links)
        if (link.from == gpu_vertex(g) &&
            (link.kind == LinkKind::pcie || (link.kind == LinkKind::c2c && pcie == 0)))
          pcie = nccl_rate(link);
      m_.pcie_rate.push_back(pcie);
      m_.total = std::max({m_.total, pcie, nvlink_total_[static_cast<std::size_t>(g)]});
      for (int n = 0; n < m_.nics; ++n) m_.best_path = std::max(m_.best_path, m_.to_nic(g, n).rate);
      for (int to = 0; to < m_.gpus && m_.nics == 0; ++to)
        if (to != g) m_.best_path = std::max(m_.best_path, m_.between(g, to).rate);
    }
    if (m_.nics == 0 && m_.gpus == 1) m_.best_path = m_.total = 5'000'000;  // topo.h LOC_BW
  }

  const Communicator& c_;
  const NcclSettings& settings_;
  const NodeType& type_;
  GpuId first_gpu_;
  SearchMachine m_;
  std::vector<std::vector<std::size_t>> devices_;  // NICs of each that NCCL sees
  std::map<std::size_t, std::int32_t> known_;
  std::vector<std::int32_t> direct_;
  std::vector<SearchRate> nvlink_total_;
};

}  // namespace

const NodeType& node_type_of(const Communicator& c, std::size_t node) {
  const auto* cluster = dynamic_cast<const ClusterTopology*>(c.topology);
  require(cluster != nullptr, "the channel search reads the inside of a node");
  return cluster->node_type(c.topology->node_of(c.gpus[c.nodes[node].front()]));
}

int compute_capability(Architecture architecture) {
  switch (architecture) {
    case Architecture::kepler:
      return 37;
    case Architecture::pascal:
      return 60;
    case Architecture::volta:
      return 70;
    case Architecture::turing:
      return 75;
    case Architecture::ampere:
    case Architecture::cdna2:
      return 80;
    case Architecture::ada:
      return 89;
    case Architecture::hopper:
    case Architecture::cdna3:
      return 90;
    case Architecture::blackwell:
      return 100;
  }
  return 80;
}

SearchMachine search_machine(const Communicator& communicator, std::size_t node,
                             const NcclSettings& settings) {
  return MachineBuilder(communicator, node, settings).build();
}

}  // namespace dsim
