#include "model/collective/predictor.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "model/collective/forced_protocol.h"
#include "model/collective/host_choice.h"
#include "model/collective/planned.h"
#include "model/collective/run_collectives.h"
#include "model/collective/scatter.h"
#include "sim/base/error.h"

namespace dsim {

struct CollectivePredictor::State {
  using Key = std::tuple<const Algorithm*, CollectiveOp, std::uint32_t, std::int64_t,
                         std::vector<std::int64_t>>;

  CollectiveSetup setup;
  CollectiveMachine machine;
  Communicator communicator;
  NcclGraphs graphs;
  NcclMachine nccl;
  CollectiveConstants constants;
  std::map<Key, PlannedCollective> plans;

  PlanRequest request(const CollectiveQuery& query) const;
  const PlannedCollective& plan(const Algorithm& algorithm, const CollectiveQuery& query);
  void choose(const CollectiveQuery& query, CollectivePrediction& p);
  void choose_nccl_call(const CollectiveQuery& query, CollectivePrediction& p);
  void choose_host_call(const CollectiveQuery& query, CollectivePrediction& p);
  CallCosts costs(const CollectivePrediction& p) const;
  CollectiveRun run(const PlannedCollective& plan, const CollectiveQuery& query,
                    const CollectivePrediction& p) const;
};

namespace {

void check_ranks(const Topology& topology, const std::vector<GpuId>& ranks) {
  std::set<std::uint32_t> seen;
  for (const GpuId gpu : ranks) {
    if (gpu.index() >= topology.gpu_count())
      throw InputError(fmt::format("rank on GPU {}: {} has GPUs 0 to {}", gpu.value,
                                   topology.name(), topology.gpu_count() - 1));
    if (!seen.insert(gpu.value).second)
      throw InputError(fmt::format("GPU {} is in the communicator twice", gpu.value));
  }
}

}  // namespace

CollectivePredictor::CollectivePredictor(CollectiveSetup setup)
    : state_(std::make_unique<State>()) {
  State& s = *state_;
  s.setup = std::move(setup);
  s.setup.topology = apply_transport(s.setup.topology, s.setup.nccl);
  if (s.setup.protocol && s.setup.nccl.proto.empty() && s.setup.algorithm.empty())
    s.setup.nccl.proto = name_of(*s.setup.protocol);  // NCCL chooses among what is left
  const Topology& t = *s.setup.topology;
  if (s.setup.ranks.empty())
    for (std::size_t g = 0; g < t.gpu_count(); ++g) s.setup.ranks.emplace_back(g);
  check_ranks(t, s.setup.ranks);
  s.machine = machine_of(t);
  s.communicator = make_communicator(
      t, routing_under(s.setup.nccl, s.setup.routing.value_or(t.default_routing())),
      s.machine.architecture, s.setup.ranks);
  s.graphs = find_nccl_graphs(s.communicator, s.setup.nccl);
  s.nccl = nccl_machine(s.communicator);
  s.constants = s.setup.constants.value_or(built_in_collective_constants(s.machine));
  if (!s.setup.algorithm.empty()) algorithm_by_name(s.setup.algorithm);
  if (s.setup.channels == 0u) throw InputError("a collective needs at least 1 channel");
}

CollectivePredictor::~CollectivePredictor() = default;

const CollectiveSetup& CollectivePredictor::setup() const { return state_->setup; }
const Communicator& CollectivePredictor::communicator() const { return state_->communicator; }
const NcclGraphs& CollectivePredictor::graphs() const { return state_->graphs; }
CollectiveConstants& CollectivePredictor::constants() { return state_->constants; }

PlanRequest CollectivePredictor::State::request(const CollectiveQuery& query) const {
  return {.communicator = &communicator,
          .op = query.op,
          .size = query.size,
          .root = query.root,
          .nccl = setup.backend == Backend::nccl ? &graphs : nullptr,
          .counts = query.counts,
          .custom = setup.custom.get()};
}

const PlannedCollective& CollectivePredictor::State::plan(const Algorithm& algorithm,
                                                          const CollectiveQuery& query) {
  const auto [entry, added] = plans.try_emplace(Key{
      &algorithm, query.op, query.root, algorithm.by_size ? query.size.count : 0, query.counts});
  if (added) entry->second = plan_collective(algorithm, request(query), setup.backend);
  return entry->second;
}

void CollectivePredictor::State::choose(const CollectiveQuery& query, CollectivePrediction& p) {
  if (setup.backend == Backend::nccl)
    choose_nccl_call(query, p);
  else
    choose_host_call(query, p);
  if (setup.algorithm.empty()) return;
  const Algorithm& forced = algorithm_by_name(setup.algorithm);
  if (!forced.supports(query.op))
    throw InputError(fmt::format("{} cannot {}", forced.name, name_of(query.op)));
  if (const std::string why = forced.unfit(request(query)); !why.empty())
    throw InputError(fmt::format("{}: {}", forced.name, why));
  if (setup.backend == Backend::nccl)
    p.protocol = protocol_of_forced(forced, setup.protocol, p.choice);
  p.algorithm = &forced;
}

void CollectivePredictor::State::choose_nccl_call(const CollectiveQuery& query,
                                                  CollectivePrediction& p) {
  p.choice = choose_nccl(graphs, nccl, setup.nccl, query.op, query.size, query.type);
  if (!p.choice.notice.empty()) p.notices.emplace_back(p.choice.notice);
  p.algorithm = &algorithm_by_name(p.choice.algorithm);
  p.protocol = setup.protocol.value_or(p.choice.protocol);
}

void CollectivePredictor::State::choose_host_call(const CollectiveQuery& query,
                                                  CollectivePrediction& p) {
  const HostCall call{query.op, query.size, communicator.size(),
                      static_cast<std::uint32_t>(communicator.nodes.size())};
  const HostChoice choice =
      setup.backend == Backend::gloo ? choose_gloo(call) : choose_open_mpi(call);
  p.algorithm = &algorithm_by_name(choice.algorithm);
  p.protocol = Protocol::host;
  if (!p.algorithm->unfit(request(query)).empty()) {
    p.notices.push_back(fmt::format("{} is taken as binomial", choice.algorithm));
    p.algorithm = &algorithm_by_name("binomial");
  }
  p.notices.emplace_back(choice.reason);
  p.notices.emplace_back("vectors in host memory: copies from and to GPUs are not included");
}

CallCosts CollectivePredictor::State::costs(const CollectivePrediction& p) const {
  return {p.protocol,
          granularity_limits(setup.nccl, machine.architecture, setup.channels.value_or(0)),
          static_cast<double>(std::max(1, graphs.ring.channels)),
          setup.launch_floor,
          static_cast<std::uint32_t>(std::max(1, graphs.channels)),
          static_cast<std::uint32_t>(std::max(1, graphs.p2p_channels)),
          static_cast<std::uint32_t>(std::max(1, graphs.p2p_channels_per_peer))};
}

CollectiveRun CollectivePredictor::State::run(const PlannedCollective& plan,
                                              const CollectiveQuery& query,
                                              const CollectivePrediction& p) const {
  const CallCosts call = costs(p);
  CollectiveRun run;
  run.schedule = &plan.schedule;
  run.op = query.op;
  run.size = query.size;
  run.protocol = p.protocol;
  run.limits = call.limits;
  run.graph_channels = call.graph_channels;
  run.least_seconds = call.launch_floor;
  run.constants = &constants;
  run.communicator = &communicator;
  if (plan.schedule.pattern == Pattern::rounds)
    run.round_cost = costs_of_rounds(plan, query.op, query.size, call, constants);
  return run;
}

CollectivePrediction CollectivePredictor::predict(const CollectiveQuery& query) {
  State& s = *state_;
  if (query.size.count <= 0) throw InputError("a collective moves at least 1 B");
  if (query.root >= s.communicator.size())
    throw InputError(fmt::format("root {}: the communicator has ranks 0 to {}", query.root,
                                 s.communicator.size() - 1));
  CollectivePrediction p;
  s.choose(query, p);
  const PlannedCollective& plan = s.plan(*p.algorithm, query);
  const PreparedCollective call =
      prepare_collective(plan, *s.setup.topology, query.op, query.size, s.costs(p), s.constants);
  p.channels = call.channels;
  if (s.setup.fidelity == Fidelity::steps) {
    const CollectiveRun run = s.run(plan, query, p);
    p.seconds = run_collectives(*s.setup.topology, std::span(&run, 1), Fidelity::steps)[0].seconds;
  } else {
    p.seconds = closed_seconds(call.fluid);  // alone: what `fluid` takes
  }
  p.extrapolated = s.communicator.nodes.size() > most_fitted_nodes ||
                   s.communicator.size() > most_fitted_ranks || query.size > most_fitted_bytes;
  const double scatter = collective_scatter(s.machine, s.communicator.nodes.size(), query.size);
  p.low = p.seconds / (1 + scatter);
  p.high = p.seconds * (1 + scatter);
  p.algbw = static_cast<double>(query.size.count) / p.seconds;
  const double factor = busbw_factor(query.op, s.communicator.size());
  p.busbw = p.algbw * factor;
  p.bottleneck = call.bottleneck;
  if (call.limit_seconds > 0)
    p.limit_busbw = static_cast<double>(query.size.count) * factor / call.limit_seconds;
  return p;
}

std::vector<double> run_concurrently(const std::vector<ConcurrentCollective>& collectives,
                                     Fidelity fidelity) {
  std::vector<CollectiveRun> runs;
  std::vector<std::unique_ptr<CollectivePredictor>> predictors;
  for (const ConcurrentCollective& c : collectives) {
    predictors.push_back(std::make_unique<CollectivePredictor>(c.setup));
    CollectivePredictor::State& state = *predictors.back()->state_;
    const CollectivePrediction p = predictors.back()->predict(c.query);
    runs.push_back(state.run(state.plan(*p.algorithm, c.query), c.query, p));
    runs.back().start = c.start;
  }
  std::vector<double> seconds;
  if (runs.empty()) return seconds;
  for (const CollectiveResult& r :
       run_collectives(*predictors[0]->setup().topology, runs, fidelity))
    seconds.push_back(r.seconds);
  return seconds;
}

}  // namespace dsim
