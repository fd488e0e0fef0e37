#include <catch2/catch.hpp>

#include "tests/model/strategy/training_setup.h"

using namespace dsim;

namespace {

/// One layer of three kernels with a communication before them, on two tensor-parallel ranks.
struct Written {
  TrainingSetup setup{six_linear_layers()};
  Workload workload;
  SharedCalls calls{workload};
  std::unique_ptr<RankGrid> grid;
  std::unique_ptr<StepWriter> writer;

  explicit Written(std::uint32_t tensor = 2, bool graphs = false) {
    setup.request.ranks = 4;
    setup.request.options.parallel.tensor = tensor;
    setup.request.options.cuda_graphs = graphs;
    grid = std::make_unique<RankGrid>(setup.request.options.parallel, 4);
    writer = std::make_unique<StepWriter>(setup.request, *grid, calls);
  }
  std::vector<Kernel> list(int hidden_behind) const {
    const Kernel gemm = setup.model.layers[0].forward[0];
    return {communication_kernel(CollectiveOp::all_reduce, ParallelGroup::tensor, 1 << 20,
                                 hidden_behind),
            gemm, gemm, gemm};
  }
  /// Which of the compute tasks waits for the collective; -1 if none.
  static int waiting(const Program& program) {
    int place = 0;
    for (const Task& task : program.tasks) {
      if (task.stream != compute_stream) continue;
      for (const TaskId d : dependencies_of(program, task))
        if (program.tasks[d.index()].kind == TaskKind::collective) return place;
      ++place;
    }
    return -1;
  }
};

}  // namespace

TEST_CASE("a communication in a layer lets as many kernels pass as it is hidden behind") {
  const int behind = GENERATE(0, 1, 2);
  Written w;
  w.writer->kernels(w.list(behind), Phase::forward, "block");
  const Program program = w.writer->finish();
  CHECK(Written::waiting(program) == behind);
  REQUIRE(w.workload.collectives.size() == 1);
  CHECK(w.workload.families[w.workload.collectives[0].family.index()].groups.size() == 2);
}

TEST_CASE("a communication with too few kernels behind it is waited for at the end") {
  Written w;
  w.writer->kernels(w.list(5), Phase::forward, "block");
  CHECK(Written::waiting(w.writer->finish()) == 3);
}

TEST_CASE("groups of one rank send nothing") {
  Written w(1);
  w.writer->kernels(w.list(0), Phase::forward, "block");
  const Program program = w.writer->finish();
  CHECK(w.workload.collectives.empty());
  CHECK(program.tasks.size() == 3);
}

TEST_CASE("communications that are not hidden follow each other over different groups") {
  Written w;
  auto list = w.list(0);
  Kernel second = list[0];
  second.group = ParallelGroup::expert_tensor;
  list.insert(list.begin() + 1, second);
  w.writer->kernels(list, Phase::forward, "block");
  const Program program = w.writer->finish();
  std::vector<Task> collectives;
  for (const Task& task : program.tasks)
    if (task.kind == TaskKind::collective) collectives.push_back(task);
  REQUIRE(collectives.size() == 2);
  CHECK(collectives[0].stream != collectives[1].stream);
  CHECK(dependencies_of(program, collectives[1]).size() == 1);
}

TEST_CASE("a CUDA graph costs one launch a pass") {
  Written w(2, true);
  for (std::size_t l = 0; l < 6; ++l) w.writer->forward(l);
  for (std::size_t l = 6; l-- > 0;) w.writer->backward(l);
  const Program program = w.writer->finish();
  double host = 0;
  for (const Task& task : program.tasks) host += static_cast<double>(task.host_seconds);
  CHECK(host ==
        Approx(w.setup.host.step_fixed + 2 * w.setup.host.graph_launch.value).epsilon(1e-4));
}

TEST_CASE("merged layers take as long as their kernels and equal ones are timed once") {
  Written kernels, merged;
  merged.writer->merge(true);
  std::vector<ParameterId> ready[2];
  Program programs[2];
  for (int i = 0; i < 2; ++i) {
    StepWriter& writer = *(i == 0 ? kernels : merged).writer;
    for (std::size_t l = 0; l < 6; ++l) writer.forward(l);
    for (std::size_t l = 6; l-- > 0;)
      writer.backward(l, {false, [&, i](ParameterId p) { ready[i].push_back(p); }});
    writer.clip_gradients(1e6, 4, writer.all_ranks());
    writer.optimizer(1e6);
    programs[i] = writer.finish();
  }
  double seconds[2] = {}, host[2] = {}, bytes[2] = {};
  for (int i = 0; i < 2; ++i)
    for (const Task& task : programs[i].tasks) {
      seconds[i] += task.seconds;
      bytes[i] += task.hbm_bytes;
      host[i] += static_cast<double>(task.host_seconds);
    }
  CHECK(seconds[0] == Approx(seconds[1]));
  CHECK(bytes[0] == Approx(bytes[1]));
  CHECK(host[0] == Approx(host[1]).epsilon(1e-4));
  CHECK(ready[0] == ready[1]);
  CHECK(ready[0].size() == 12);
  CHECK(merged.setup.timed == 2);
}
