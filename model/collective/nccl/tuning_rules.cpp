#include "model/collective/nccl/tuning_tables.h"

namespace dsim {

namespace {

struct Row {
  NcclVersion since;
  TuningRules rules;
};

// Each row is the next newer one with what was different before it, so read from the last upwards.
// Sources: NVIDIA/nccl src/graph/tuning.cc and src/enqueue.cc at the tags in the comments; between
// two tags that were read, the change is put at the first release of the newer one (assumed).
constexpr auto make_rows() {
  std::array<Row, 15> rows{};
  std::size_t i = rows.size();
  TuningRules r;

  // 2.30.7; NVLS-tree's correction on Blackwell was read at 2.29.7, taken from 2.28.9 on (assumed).
  r.nvls_tree_corrected = true;
  rows[--i] = {{2, 28, 9}, r};
  // 2.28.3.
  r.nvls_tree_corrected = false;
  rows[--i] = {{2, 28, 0}, r};
  // 2.27; 2.25.1 has the same ratio.
  r.nvls = NvlsRule::slower_side;
  r.nvls_gather_slower = true;
  rows[--i] = {{2, 25, 0}, r};
  // 2.24.3.
  r.nvls_gather_slower = false;
  r.collnet_gather_interpolated = true;
  r.ll128_generations = 3;
  r.ll128_ada = false;
  rows[--i] = {{2, 24, 0}, r};
  // 2.23.4.
  r.pat_share = .85;
  r.filter_functions = false;
  r.collnet_hidden = true;
  r.nothing_left = TuningRules::Left::ring;
  r.fp8 = false;
  r.mixed_hosts = false;
  rows[--i] = {{2, 23, 0}, r};
  // 2.22.3.
  r.pat_share = 0;
  r.two_n_hops = true;
  r.ring_ll_half = false;
  r.lone_gpu_share = true;
  r.lone_gpu_tree_latency = false;
  r.small_tree_corrected = true;
  r.convert_gather = true;
  rows[--i] = {{2, 22, 0}, r};
  // 2.19.3, 2.20.3, 2.21.5.
  r.nvls_any_gather = false;
  rows[--i] = {{2, 19, 0}, r};
  // 2.18.3.
  r.nvls = NvlsRule::own_graph;
  r.nvls_gather = r.collnet_gather = r.convert_gather = false;
  r.collnet_arity = .5;
  r.nothing_left = TuningRules::Left::error;
  r.filter_ring_gather = false;
  rows[--i] = {{2, 18, 0}, r};
  // 2.17.1.
  r.nvls = NvlsRule::ring_graph;
  r.nvls_gather = true;
  r.total_cap_ampere = 235;
  r.total_cap_hopper = 370;
  r.slow_ll_inside = true;
  r.post_overhead = r.nic_latency_added = r.plateau_by_channel = r.tree_pattern = false;
  r.plateau_new = 1.5;
  r.plateau_new_from = 2;
  r.collnet_chain_share = .75;
  r.collnet_chain_network = r.collnet_direct_hopper = false;
  rows[--i] = {{2, 17, 0}, r};
  // 2.15, 2.16: as 2.17 without NVLS (assumed).
  r.nvls = NvlsRule::none;
  r.nvls_gather = false;
  rows[--i] = {{2, 15, 0}, r};
  // 2.14.3.
  r.total_cap_hopper = 0;
  r.plateau_new = 1.9;
  r.ll128_generations = 2;
  r.ada_as_volta = true;
  rows[--i] = {{2, 13, 0}, r};
  // 2.12.12.
  r.collnet_chain = false;
  rows[--i] = {{2, 12, 0}, r};
  // 2.10.3.
  r.two_n_hops = r.nic_latency = r.power_tree = false;
  rows[--i] = {{2, 10, 0}, r};
  // 2.8, 2.9: as published in microsoft/msccl.
  r.collnet_direct = false;
  r.collnet_chain = r.collnet_chain_network = r.collnet_ll = true;
  r.collnet_chain_share = 1;
  r.collnet_share = .9;
  r.tree_ll128_share = .915;
  rows[--i] = {{2, 8, 0}, r};
  // 2.7.8.
  r.tree_share = .9;
  r.tree_totals = true;
  r.ring_ll_capped = false;
  rows[--i] = {{2, 7, 0}, r};
  return rows;
}

constexpr auto rows = make_rows();
static_assert(rows.front().since == NcclVersion{2, 7, 0});

}  // namespace

const TuningRules& tuning_rules(const NcclVersion& version) {
  const Row* row = rows.data();
  for (const Row& r : rows)
    if (r.since <= version) row = &r;
  return row->rules;
}

}  // namespace dsim
