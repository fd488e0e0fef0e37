#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "model/collective/report/collective_report.h"
#include "model/collective/report/ranks.h"
#include "model/collective/report/sizes.h"
#include "sim/base/error.h"
#include "sim/base/quantity.h"

namespace dsim {
namespace {

void add_notice(std::vector<std::string>& notices, const std::string& notice) {
  if (std::find(notices.begin(), notices.end(), notice) == notices.end()) notices.push_back(notice);
}

void describe_setup(CollectiveReport& report, CollectivePredictor& predictor) {
  const CollectiveSetup& setup = predictor.setup();
  const Communicator& communicator = predictor.communicator();
  const Topology& topology = *setup.topology;
  report.topology = topology.description();
  report.gpu = gpu_by_name(topology.gpu_model()).title;
  report.ranks = communicator.size();
  report.nodes = static_cast<std::uint32_t>(communicator.nodes.size());
  const std::string ranks = ranks_text(communicator.gpus);
  if (communicator.size() != topology.gpu_count() ||
      ranks != fmt::format("0-{}", topology.gpu_count() - 1))
    report.rank_list = ranks;
  report.backend = name_of(setup.backend);
  if (setup.backend == Backend::nccl) {
    report.version = to_string(setup.nccl.version);
    report.channels = predictor.graphs().channels;
    report.nvls_channels = predictor.graphs().nvls_channels;
  }
  report.fidelity = name_of(setup.fidelity);
  report.routing = name_of(communicator.routing);
  predictor.constants().visit([&](std::string_view name, Constant& constant) {
    ++report.inputs[static_cast<std::size_t>(constant.level)];
    if (constant.level == Level::assumed) report.assumed.emplace_back(name);
  });
}

/// Sizes of which nothing is left, and buffers that a GPU does not hold: what nccl-tests would do.
void check_sizes(CollectiveReport& report, const std::vector<Bytes>& left_out, double memory) {
  if (!left_out.empty())
    report.notices.push_back(
        left_out.size() == 1
            ? fmt::format("size {} left out: no whole element for each of {} ranks",
                          collective_size_text(left_out.front()), report.ranks)
            : fmt::format("{} sizes up to {} left out: no whole part for each of {} ranks",
                          left_out.size(), collective_size_text(left_out.back()), report.ranks));
  std::vector<Bytes> large;
  for (const CollectivePoint& point : report.points)
    if (2 * static_cast<double>(point.size.count) > memory) large.push_back(point.size);
  if (!large.empty())
    report.notices.push_back(
        fmt::format("from {} on, send and receive buffer together exceed the {} of a GPU",
                    collective_size_text(large.front()), format_binary_bytes(memory)));
}

}  // namespace

CollectiveReport run_sweep(CollectivePredictor& predictor, const CollectiveQuery& query,
                           const std::vector<Bytes>& sizes,
                           const std::function<void(double)>& progress) {
  CollectiveReport report;
  report.op = query.op;
  report.type = query.type;
  report.root = query.root;
  describe_setup(report, predictor);
  std::vector<Bytes> left_out;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const Bytes size = sizes[i];
    if (progress) progress(static_cast<double>(i) / static_cast<double>(sizes.size()));
    const ElementCount elements = element_count(query.op, size, query.type, report.ranks);
    if (elements.size.count == 0) {
      left_out.push_back(size);
      continue;
    }
    // Several small sizes may round to the same; nccl-tests prints each, which tells nothing more.
    if (!report.points.empty() && report.points.back().size == elements.size) continue;
    CollectiveQuery one = query;
    one.size = elements.size;
    CollectivePoint point{elements.size, elements.count, predictor.predict(one), {}};
    for (const std::string& notice : point.prediction.notices) add_notice(report.notices, notice);
    report.points.push_back(std::move(point));
  }
  if (report.points.empty())
    throw InputError(fmt::format(
        "no size is left: {} over {} ranks needs at least {} B in whole elements of {}",
        name_of(query.op), report.ranks,
        is_partitioned(query.op) ? std::int64_t{16} * report.ranks : size_of(query.type).count,
        name_of(query.type)));
  check_sizes(report, left_out,
              static_cast<double>(gpu_by_name(predictor.setup().topology->gpu_model()).hbm_bytes));
  return report;
}

std::string_view redop_of(CollectiveOp op) {
  const bool reduces = op == CollectiveOp::all_reduce || op == CollectiveOp::reduce ||
                       op == CollectiveOp::reduce_scatter;
  return reduces ? "sum" : "none";
}

bool has_root(CollectiveOp op) {
  return op == CollectiveOp::broadcast || op == CollectiveOp::reduce ||
         op == CollectiveOp::gather || op == CollectiveOp::scatter;
}

double average_busbw(const CollectiveReport& report) {
  double sum = 0;
  for (const CollectivePoint& point : report.points) sum += point.prediction.busbw;
  return report.points.empty() ? 0 : sum / static_cast<double>(report.points.size()) * 1e-9;
}

}  // namespace dsim
