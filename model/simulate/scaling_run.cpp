#include "model/simulate/scaling_run.h"

#include "model/workload/model.h"
#include "sim/base/error.h"

namespace dsim {

Scaling simulate_scaling(const ExperimentDraft& draft, const std::vector<std::int64_t>& gpu_counts,
                         ScalingMode mode, const RunControl& control) {
  if (draft.nodes) throw InputError("--nodes cannot be given here: --gpus lists the sizes");
  if (mode == ScalingMode::weak && draft.global_batch)
    throw InputError("--global-batch stays the same in strong scaling only (--scaling strong)");
  const std::shared_ptr<const Topology> topology = draft_topology(draft);

  ExperimentDraft sized = draft;
  if (mode == ScalingMode::strong && !draft.global_batch) {
    const Job& job = draft.experiment.jobs.front();
    const std::int64_t micro =
        job.micro_batch > 0 ? job.micro_batch : model_kind(job.model).default_micro_batch;
    sized.global_batch = micro * draft.accumulate.value_or(1) * gpu_counts.back();
    sized.accumulate.reset();
  }
  std::vector<Experiment> experiments;
  for (const std::int64_t gpus : gpu_counts) {
    sized.gpus = gpus;
    experiments.push_back(resolve(sized, topology));
  }

  Scaling scaling{mode, {}};
  for (std::size_t i = 0; i < experiments.size() && !control.stop.stop_requested(); ++i) {
    RunControl part = control;
    if (control.progress)
      part.progress = [&, i](double fraction) {
        control.progress((static_cast<double>(i) + fraction) /
                         static_cast<double>(experiments.size()));
      };
    scaling.points.push_back(simulate(experiments[i], part));
    if (control.progress)
      control.progress(static_cast<double>(i + 1) / static_cast<double>(experiments.size()));
  }
  return scaling;
}

}  // namespace dsim
