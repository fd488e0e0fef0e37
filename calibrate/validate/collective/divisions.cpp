#include <fmt/format.h>

#include "calibrate/validate/collective/collectives_report.h"
#include "model/collective/algorithm.h"

namespace dsim {
namespace {

std::string nodes_of(const MeasuredRun& run) {
  if (run.plan.nodes <= 1) return "one node";
  return run.plan.nodes == 2 ? "2 nodes" : "> 2 nodes";
}

std::string network_of_run(const MeasuredRun& run) {
  return run.plan.network.empty() ? "inside a node" : run.plan.network;
}

}  // namespace

std::string run_key(const MeasuredRun& run, const ComparedPoint&) {
  return run.plan.series->name;
}

const std::vector<Division>& divisions() {
  using Run = MeasuredRun;
  using Point = ComparedPoint;
  static const std::vector<Division> rows{
      {"By size", "sizes", [](const Run&, const Point& p) { return size_class(p.bytes); }},
      {"By nodes", "nodes", [](const Run& r, const Point&) { return nodes_of(r); }},
      {"By nodes and size", "nodes_sizes",
       [](const Run& r, const Point& p) { return nodes_of(r) + ", " + size_class(p.bytes); }},
      {"By GPU generation", "hardware",
       [](const Run& r, const Point&) {
         return r.plan.architecture + (r.plan.nodes > 1 ? ", several nodes" : ", one node");
       }},
      {"By network", "networks", [](const Run& r, const Point&) { return network_of_run(r); }},
      {"By network and size", "networks_sizes",
       [](const Run& r, const Point& p) { return network_of_run(r) + ", " + size_class(p.bytes); }},
      {"By collective", "collectives",
       [](const Run& r, const Point&) { return std::string(name_of(r.plan.op)); }},
      {"By algorithm and protocol", "algorithms",
       [](const Run& r, const Point& p) {
         return fmt::format("{} {}, {}", p.algorithm, p.protocol,
                            r.plan.nodes > 1 ? "several nodes" : "one node");
       }},
      {"By machine", "machines", [](const Run& r, const Point&) { return r.machine_key(); }},
  };
  return rows;
}

std::vector<LeftOutGroup> left_out_groups(const CollectiveValidation& validation) {
  // The networks that one set of constants describes well, and those that software dominates.
  const auto hardware = [](const MeasuredRun& run) {
    return run.plan.network.empty() || run.plan.network == "ib";
  };
  std::vector<LeftOutGroup> groups;
  for (const bool wanted : {true, false})
    for (const std::string_view size : {"", "< 64 KiB", "64 KiB to 16 MiB", "> 16 MiB"}) {
      const CollectiveValidation::Filter filter = [&](const MeasuredRun& run,
                                                      const ComparedPoint& point) {
        return run.health == Health::healthy && hardware(run) == wanted && point.left_out_s > 0 &&
               (size.empty() || size_class(point.bytes) == size);
      };
      groups.push_back(
          {fmt::format("{}{}{}", wanted ? "IB, NVLink, PCIe" : "EFA, RoCE, Slingshot, TCP",
                       size.empty() ? "" : ", ", size),
           validation.errors(filter, [](const ComparedPoint& p) { return p.ratio(); }),
           validation.errors(
               filter, [](const ComparedPoint& p) { return p.left_out_s / p.measured_s; })});
    }
  return groups;
}

std::string collectives_line(const CollectiveValidation& validation) {
  return closing_line(validation.overall(), validation.not_predictable());
}

}  // namespace dsim
