#include "tests/support/sample_collective.h"

namespace dsim::support {

CollectiveReport sample_collective() {
  CollectiveReport report;
  report.topology = "2 × DGX H100 (8 × NVLink4, 8 × 400 Gb/s), single switch";
  report.gpu = "H100 SXM 80 GB";
  report.ranks = 16;
  report.nodes = 2;
  report.backend = "nccl";
  report.version = "2.27.3";
  report.channels = 16;
  report.nvls_channels = 8;
  report.fidelity = "fluid";
  report.routing = "spray";
  report.inputs = {0, 10, 0, 1};
  report.assumed = {"PCIe efficiency"};
  const auto add = [&](Bytes size, double seconds, std::string_view algorithm, Protocol protocol,
                       std::uint32_t channels) {
    CollectivePoint point;
    point.size = size;
    point.count = size.count / 4;
    CollectivePrediction& p = point.prediction;
    p.seconds = seconds;
    p.low = .9 * seconds;
    p.high = 1.1 * seconds;
    p.algbw = static_cast<double>(size.count) / seconds;
    p.busbw = p.algbw * busbw_factor(report.op, report.ranks);
    p.algorithm = &algorithm_by_name(algorithm);
    p.protocol = protocol;
    p.channels = channels;
    report.points.push_back(point);
  };
  add(1_KiB, 20e-6, "tree", Protocol::ll, 1);
  add(1_MiB, 50e-6, "tree", Protocol::ll128, 16);
  add(1_GiB, 4e-3, "ring", Protocol::simple, 16);
  report.points[0].prediction.bottleneck = "latency";
  report.points[0].prediction.extrapolated = true;
  report.points[2].prediction.bottleneck = "NIC (node0.nic3 -> leaf3)";
  report.points[2].prediction.limit_busbw = 800e9;
  return report;
}

}  // namespace dsim::support
