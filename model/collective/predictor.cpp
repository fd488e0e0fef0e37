#include "model/collective/predictor.h"

#include <algorithm>

#include "model/collective/run_collectives.h"
#include "sim/base/error.h"

namespace dsim {

double busbw_factor(CollectiveOp op, std::uint32_t ranks) {
  const double n = ranks;
  switch (op) {
    case CollectiveOp::all_reduce:
      return 2 * (n - 1) / n;
    case CollectiveOp::all_gather:
    case CollectiveOp::reduce_scatter:
    case CollectiveOp::all_to_all:
    case CollectiveOp::gather:
    case CollectiveOp::scatter:
      return (n - 1) / n;
    default:
      return 1;
  }
}

struct CollectivePredictor::State {
  CollectiveSetup setup;
  Communicator communicator;
  NcclGraphs graphs;
  NcclMachine machine;
  CollectiveConstants constants;
};

namespace {

LinkKind network_of(const Topology& topology) {
  for (std::size_t l = 0; l < topology.link_count(); ++l) {
    const Link link = topology.link(LinkId{l});
    if (link.kind != LinkKind::nvlink && link.kind != LinkKind::pcie &&
        link.kind != LinkKind::socket)
      return link.kind;
  }
  return LinkKind::ib;
}

}  // namespace

CollectivePredictor::CollectivePredictor(CollectiveSetup setup)
    : state_(std::make_unique<State>()) {
  State& s = *state_;
  s.setup = std::move(setup);
  const Topology& t = *s.setup.topology;
  if (s.setup.ranks.empty())
    for (std::size_t g = 0; g < t.gpu_count(); ++g) s.setup.ranks.emplace_back(g);
  const Architecture architecture = gpu_by_name(t.gpu_model()).architecture;
  s.communicator = make_communicator(t, s.setup.routing.value_or(t.default_routing()), architecture,
                                     s.setup.ranks);
  s.graphs = find_nccl_graphs(s.communicator, s.setup.nccl);
  s.machine = nccl_machine(s.communicator);
  s.constants = s.setup.constants.value_or(built_in_collective_constants(architecture, network_of(t)));
}

CollectivePredictor::~CollectivePredictor() = default;

const CollectiveSetup& CollectivePredictor::setup() const { return state_->setup; }
const Communicator& CollectivePredictor::communicator() const { return state_->communicator; }
const NcclGraphs& CollectivePredictor::graphs() const { return state_->graphs; }
CollectiveConstants& CollectivePredictor::constants() { return state_->constants; }

CollectivePrediction CollectivePredictor::predict(const CollectiveQuery& query) {
  State& s = *state_;
  CollectivePrediction p;
  p.choice = choose_nccl(s.graphs, s.machine, s.setup.nccl, query.op, query.size, query.type);
  p.algorithm =
      &algorithm_by_name(s.setup.algorithm.empty() ? p.choice.algorithm : s.setup.algorithm);
  p.protocol = p.choice.protocol;
  const std::vector<CollectiveRequest> requests{{.communicator = &s.communicator,
                                                 .op = query.op,
                                                 .size = query.size,
                                                 .algorithm = p.algorithm,
                                                 .channels = s.setup.channels.value_or(0),
                                                 .start = {}}};
  const CollectiveResult result = run_collectives(requests, s.constants, s.setup.fidelity)[0];
  p.seconds = result.seconds;
  p.low = p.seconds * .85;
  p.high = p.seconds * 1.15;
  p.channels = result.channels;
  p.algbw = static_cast<double>(query.size.count) / p.seconds;
  p.busbw = p.algbw * busbw_factor(query.op, s.communicator.size());
  return p;
}

std::vector<double> run_concurrently(const std::vector<ConcurrentCollective>& collectives,
                                     Fidelity fidelity) {
  std::vector<CollectiveRequest> requests;
  std::vector<std::unique_ptr<CollectivePredictor>> predictors;
  for (const ConcurrentCollective& c : collectives) {
    predictors.push_back(std::make_unique<CollectivePredictor>(c.setup));
    requests.push_back({.communicator = &predictors.back()->communicator(),
                        .op = c.query.op,
                        .size = c.query.size,
                        .algorithm = predictors.back()->predict(c.query).algorithm,
                        .channels = c.setup.channels.value_or(0),
                        .start = c.start});
  }
  std::vector<double> seconds;
  if (requests.empty()) return seconds;
  for (const CollectiveResult& r :
       run_collectives(requests, predictors[0]->constants(), fidelity))
    seconds.push_back(r.seconds);
  return seconds;
}

}  // namespace dsim
