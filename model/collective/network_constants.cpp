// What a step over each kind of network costs, by GPU generation.
#include <algorithm>

#include "model/collective/constants_tables.h"

namespace dsim {

namespace {

constexpr std::string_view tables = "nccl-tests tables of 72 machines, docs/collectives.md";
constexpr std::string_view range = "2 to 16 nodes";

// Microseconds; the sum ll_hop + post is what tables fix, its parts less so.
struct Row {
  double ll_hop, post, simple_hop, efficiency;
  double sigma;  // of the latencies
  Level level = Level::fitted;
};

Row infiniband(Architecture architecture) {
  switch (architecture) {
    case Architecture::volta:
      return {4.5, 2.2, 20, .97, .20};  // one site, 4 x EDR
    case Architecture::hopper:
      return {2.5, 2.1, 31, .97, .10};  // five sites
    case Architecture::blackwell:
      return {2.5, 2.8, 37, .97, .20};  // one site
    default:
      return {7, 1.3, 24, .965, .10};  // six sites of A100
  }
}

// Few rows a site, and sites differ (BlueField-3 and virtual machines slow, bare ConnectX fast).
Row ethernet(Architecture architecture) {
  switch (architecture) {
    case Architecture::hopper:
      return {12, 2, 34, .95, .30};
    case Architecture::blackwell:
      return {5, 1.5, 20, .95, .30};
    default:
      return {8, 1.3, 24, .965, .30};
  }
}

// Generations of EFA are told by the rate of a NIC: 100 Gb/s until p5, 200 and 400 Gb/s since p5en.
Row efa(Architecture architecture, Bandwidth nic) {
  if (nic.bytes_per_second > 13e9) return {15, 3, 35, .95, .25};
  if (architecture == Architecture::hopper) return {22.5, 3.6, 53, .90, .20};
  return {31.5, 1, 32, architecture == Architecture::volta ? .80 : .90, .15};
}

Row row_of(const CollectiveMachine& machine) {
  switch (machine.network) {
    case LinkKind::roce:
      return ethernet(machine.architecture);
    case LinkKind::efa:
      return efa(machine.architecture, machine.nic);
    case LinkKind::slingshot:  // two sites that disagree: Simple hops of 30 to 90 us
      return {2.9, 1.6, 50, .94, .40};
    case LinkKind::tcpxo:  // one site
      return {28, 15, 90, .94, .40};
    case LinkKind::tcpx:
      return {28, 15, 90, .90, .50, Level::assumed};
    case LinkKind::tcp:  // five machines: 20 to 50, 40 to 60 us
      return {35, 2, 50, .92, .35, Level::assumed};
    default:
      return infiniband(machine.architecture);
  }
}

}  // namespace

NetworkConstants built_in_network_constants(const CollectiveMachine& machine) {
  const Row r = row_of(machine);
  const auto constant = [&](double value, double sigma) {
    return Constant{value, sigma, r.level, tables, range};
  };
  constexpr double us = 1e-6;
  NetworkConstants c;
  c.ll_hop = constant(r.ll_hop * us, r.sigma);
  c.post = constant(r.post * us, std::max(.3, r.sigma));
  c.simple_hop = constant(r.simple_hop * us, r.sigma);
  c.efficiency = constant(r.efficiency, .02);
  c.copy_share = constant(.8, .15);  // one site (B200, 2 nodes)
  return c;
}

}  // namespace dsim
