#include "model/collective/constants.h"

namespace dsim {

namespace {

// Sources. [T] = regression over published nccl-tests tables (nccl-tests logs of 72 machines, NCCL
// 2.7 to 2.29, and ai-dynamo/aiconfigurator 095f58a5 nccl_perf tables): medians and spreads as in
// docs/collectives.md. [K] = NVIDIA/nccl 5067397c src/graph/topo.h.
constexpr std::string_view tables = "nccl-tests tables of 72 machines, docs/collectives.md";
constexpr std::string_view topo_h = "NVIDIA/nccl 5067397c src/graph/topo.h";
constexpr std::string_view simple = "Simple protocol, 2 to 512 ranks";

Constant fitted(double value, double sigma, std::string_view range = simple) {
  return {value, sigma, Level::fitted, tables, range};
}
Constant assumed(double value, double sigma, std::string_view source,
                 std::string_view range = simple) {
  return {value, sigma, Level::assumed, source, range};
}

struct Generation {
  double launch, step, overhead, rate, tree_step, tree_rate, nvlink;
  double sigma;  // of the fitted latencies and rates of this generation
};

// Microseconds and GB/s, rows of the table in docs/collectives.md.
Generation generation(Architecture architecture) {
  switch (architecture) {
    case Architecture::turing:
    case Architecture::volta:
      return {8, 10, 2.5, 22, 10, 12, 22.7 / 25, .15};
    case Architecture::cdna2:
    case Architecture::cdna3:
    case Architecture::ampere:
      return {9, 13.5, 2.7, 20, 13.5, 10, 242.0 / 300, .06};
    case Architecture::ada:
      return {9, 13.5, 2.7, 20, 13.5, 10, 242.0 / 300, .25};
    case Architecture::hopper:
      return {4.8, 8.4, .95, 24, 8.4, 15, 390.0 / 450, .06};
    case Architecture::blackwell:
      return {7.7, 11.3, 0, 26, 11.3, 13, 800.0 / 900, .08};
  }
  return {};
}

struct NetworkRow {
  double latency, post, efficiency, sigma;
};

NetworkRow network_row(Architecture architecture, LinkKind network) {
  switch (network) {
    case LinkKind::roce:
      return {24, 1.3, .95, .25};
    case LinkKind::efa:
      return {32, 1, .90, .20};
    case LinkKind::slingshot:
      return {50, 1.6, .94, .40};
    case LinkKind::tcpx:
    case LinkKind::tcpxo:
      return {90, 15, .94, .40};
    case LinkKind::tcp:
      return {50, 2, .80, .40};
    default:
      break;
  }
  switch (architecture) {
    case Architecture::volta:
      return {20, 2.2, .97, .20};
    case Architecture::hopper:
      return {31, 2.1, .97, .10};
    case Architecture::blackwell:
      return {37, 2.8, .97, .20};
    default:
      return {24, 1.3, .965, .10};
  }
}

}  // namespace

void CollectiveConstants::visit(const ConstantVisitor& visitor) {
  visitor("collective launch", launch);
  visitor("NVLink step latency", step_latency);
  visitor("slice overhead", slice_overhead);
  visitor("channel rate", channel_rate);
  visitor("tree step latency", tree_latency);
  visitor("tree channel rate", tree_rate);
  visitor("network step latency", network_latency);
  visitor("network post", network_post);
  visitor("NVLink efficiency", nvlink_efficiency);
  visitor("PCIe efficiency", pcie_efficiency);
  visitor("socket link efficiency", socket_efficiency);
  visitor("network efficiency", network_efficiency);
  visitor("collective HBM traffic", memory_traffic);
}

double CollectiveConstants::efficiency(LinkKind kind) const {
  switch (kind) {
    case LinkKind::nvlink:
    case LinkKind::xgmi:
    case LinkKind::c2c:
      return nvlink_efficiency;
    case LinkKind::pcie:
      return pcie_efficiency;
    case LinkKind::socket:
      return socket_efficiency;
    default:
      return network_efficiency;
  }
}

CollectiveConstants built_in_collective_constants(Architecture architecture, LinkKind network) {
  const Generation g = generation(architecture);
  const NetworkRow n = network_row(architecture, network);
  // No table of these was fitted: Ada takes the A100's row, TCP the middle of five unlike reports.
  const auto of_gpu = [&](double value, double sigma) -> Constant {
    switch (architecture) {
      case Architecture::turing:
        return assumed(value, sigma * 2, "as V100: PCIe boxes were not fitted");
      case Architecture::ada:
        return assumed(value, sigma, "as A100: PCIe boxes were not fitted");
      case Architecture::cdna2:
      case Architecture::cdna3:
        return assumed(value, sigma * 4, "as A100: RCCL was not fitted");
      default:
        return fitted(value, sigma);
    }
  };
  const auto of_network = [&](double value, double sigma) {
    const bool few =
        network == LinkKind::slingshot || network == LinkKind::tcpx || network == LinkKind::tcpxo;
    if (few) return assumed(value, sigma, "nccl-tests of one or two sites that disagree");
    return network == LinkKind::tcp
               ? assumed(value, sigma, "nccl-tests over sockets, 5 machines that disagree")
               : fitted(value, sigma);
  };
  constexpr double us = 1e-6;
  CollectiveConstants c;
  c.launch = of_gpu(g.launch * us, g.sigma);
  c.step_latency = of_gpu(g.step * us, g.sigma);
  c.slice_overhead = of_gpu(g.overhead * us, g.sigma * 2);
  c.channel_rate = of_gpu(g.rate * 1e9, g.sigma);
  c.tree_latency = of_gpu(g.tree_step * us, .3);
  c.tree_rate = of_gpu(g.tree_rate * 1e9, .2);
  c.network_latency = of_network(n.latency * us, n.sigma);
  c.network_post = of_network(n.post * us, .3);
  c.nvlink_efficiency = of_gpu(g.nvlink, .02);
  c.pcie_efficiency =
      assumed(.82, .06, topo_h, "x16: NCCL counts 12, 24, 48 GB/s of 15.75, 31.5, 63");
  c.socket_efficiency = assumed(.8, .15, topo_h, "inter-socket rates as in topo.h");
  c.network_efficiency = of_network(n.efficiency, .02);
  c.memory_traffic = assumed(3, .25, "ring step: read chunk and received chunk, write result",
                             "no credit for L2 hits");
  return c;
}

}  // namespace dsim
