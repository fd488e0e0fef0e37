// What moving data with NCCL costs each GPU generation.
#include "model/collective/constants_tables.h"

namespace dsim {

namespace {

// Source of the fitted rows: regression over published nccl-tests tables (72 machines, NCCL 2.7 to
// 2.29) and ai-dynamo/aiconfigurator 095f58a5 systems/data/*/comm/nccl; docs/collectives.md gives
// the formulas they stand in and the error they leave.
constexpr std::string_view tables = "nccl-tests tables of 72 machines, docs/collectives.md";
constexpr std::string_view range = "2 to 512 ranks, NCCL 2.7 to 2.29";

struct Row {
  // Microseconds and GB/s.
  double launch;
  double ll_step, ll_rate, ll128_step, ll128_rate, simple_step, slice_overhead, simple_rate;
  double gather_rate;
  double last, fill;
  double tree_ll_rate, tree_ll128_step, tree_ll128_rate, tree_simple_step, tree_simple_rate;
  double nvls_latency, nvls_loop, nvls_rate, nvls_link, nvls_tree_loop, nvls_tree_link;
  double copy_latency, copy_step, copy_rate, copy_link, self_copy;
  double nvlink;  // fraction
  double sigma;   // of latencies and rates several sites agree on; twice that for the others
};

// V100: one site a row for LL, LL128 and trees; send and receive assumed as A100.
constexpr Row volta{8,  1.0, 4, 2.2, 6, 10, 2.5, 22, 20, .05, .3,         10,  2.5,       10, 10,
                    12, 0,   0, 1,   1, 1,  1,   4,  5,  10,  120. / 136, 500, 22.7 / 25, .15};
constexpr Row ampere{9,  .80, 6.8, 3.5, 10,   13.5,       2.7, 20,         20, .27,
                     .8, 4,   5,   10,  13.5, 10,         0,   0,          1,  1,
                     1,  1,   4,   5,   13,   218. / 242, 700, 242. / 300, .06};
constexpr Row hopper{4.8, .77,  14,   2.3, 25,   8.4,        .95,  24,         20.5, .32,
                     .77, 11,   1.25, 11,  0,    15,         26,   8.6,        560,  470. / 390,
                     1.7, 1.08, 2,    5.4, 17.9, 325. / 390, 3000, 390. / 450, .06};
constexpr Row blackwell{7.7, 1.17, 10,   2.0, 23,   11.3,       0,    29,         20.5, .69,
                        .32, 11,   1.25, 10,  0,    13,         32,   14,         1210, 835. / 800,
                        1.2, 1.0,  2.2,  4.9, 19.6, 652. / 800, 3000, 800. / 900, .08};

const Row& row_of(Architecture architecture) {
  switch (architecture) {
    case Architecture::volta:
      return volta;
    case Architecture::hopper:
      return hopper;
    case Architecture::blackwell:
      return blackwell;
    default:  // no table of another generation was fitted: as A100
      return ampere;
  }
}

bool was_fitted(Architecture architecture) {
  return architecture == Architecture::volta || architecture == Architecture::ampere ||
         architecture == Architecture::hopper || architecture == Architecture::blackwell;
}

}  // namespace

GpuConstants built_in_gpu_constants(const CollectiveMachine& machine) {
  const Row& r = row_of(machine.architecture);
  const bool fitted = was_fitted(machine.architecture);
  const auto constant = [&](double value, double sigma) {
    return fitted ? Constant{value, sigma, Level::fitted, tables, range}
                  : Constant{value, std::max(.3, sigma), Level::assumed,
                             "as A100: no table of this generation was fitted", range};
  };
  const auto well = [&](double value) { return constant(value, r.sigma); };
  const auto weakly = [&](double value) { return constant(value, std::max(.2, 2 * r.sigma)); };
  constexpr double us = 1e-6, gb = 1e9;
  GpuConstants c;
  c.launch = well(r.launch * us);
  c.step = {well(r.ll_step * us), weakly(r.ll128_step * us), well(r.simple_step * us)};
  c.rate = {well(r.ll_rate * gb), weakly(r.ll128_rate * gb), well(r.simple_rate * gb)};
  c.slice_overhead = weakly(r.slice_overhead * us);
  c.last_operation = weakly(r.last);
  c.fill = weakly(r.fill);
  c.tree_step = {well(r.ll_step * us), weakly(r.tree_ll128_step * us),
                 weakly(r.tree_simple_step * us)};
  c.tree_rate = {weakly(r.tree_ll_rate * gb), weakly(r.tree_ll128_rate * gb),
                 weakly(r.tree_simple_rate * gb)};
  c.gather_rate = weakly(r.gather_rate * gb);
  c.copy_gain = weakly(1.5);
  c.nvls_latency = well(r.nvls_latency * us);
  // A forced NVLS-tree of 4 to 512 B takes 46 us on two nodes of H20; hops over the network come on
  // top.
  c.nvls_tree_latency = {2e-6, .5, Level::fitted, tables, range};
  c.nvls_loop = well(r.nvls_loop * us);
  c.nvls_rate = well(r.nvls_rate * gb);
  c.nvls_link = well(r.nvls_link);
  c.nvls_tree_loop = weakly(r.nvls_tree_loop);
  c.nvls_tree_link = weakly(r.nvls_tree_link);
  c.copy_latency = weakly(r.copy_latency * us);
  c.copy_step = weakly(r.copy_step * us);
  c.copy_rate = weakly(r.copy_rate * gb);
  c.copy_link = weakly(r.copy_link);
  c.self_copy = weakly(r.self_copy * gb);
  // NVSwitch of the first generation gave V100s 125 of 150 GB/s (DGX-2, one table).
  const bool dgx2 = machine.architecture == Architecture::volta && machine.nvswitch;
  c.nvlink_efficiency = constant(dgx2 ? 125. / 150 : r.nvlink, .02);
  c.memory_traffic = {3, .25, Level::assumed,
                      "ring step: read chunk and received chunk, write result",
                      "no credit for L2 hits"};
  return c;
}

}  // namespace dsim
