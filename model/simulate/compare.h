#pragma once
// One job trained in several ways, at several sizes, side by side.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/simulate/draft.h"
#include "model/simulate/report.h"

namespace dsim {

/// What is varied: names as --framework, --strategy and --backend take them. "dataparallel" among
/// the frameworks is torch.nn.DataParallel.
struct ComparedNames {
  std::vector<std::string> frameworks, strategies, backends;  ///< empty = as the draft has it
};

/// A way to train.
struct ComparedCase {
  std::string name;  ///< "Horovod over Gloo"
  ExperimentDraft draft;
};

/// Every framework with every strategy and back end, each once. InputError for unknown names.
std::vector<ComparedCase> compared_cases(const ExperimentDraft& draft, const ComparedNames& names);

/// What rank 0 does beside its kernels, from the timeline of a step.
struct CommunicationFacts {
  std::size_t collectives = 0;
  double moving_s = 0;            ///< collectives, hidden or not
  double negotiation_s = 0;       ///< Horovod: waits for cycles, and negotiation
  double last_negotiation_s = 0;  ///< of them, before the last collective
  double fusion_copies_s = 0;     ///< into and out of Horovod's fusion buffer
  double bucket_copies_s = 0;     ///< into and out of DDP's buckets, and flat tensors
  double casts_s = 0;             ///< compression
  double staging_s = 0;           ///< between GPU and host memory
  double broadcast_s = 0;         ///< DataParallel: parameters from GPU 0
  double buffers_s = 0;           ///< DDP: BatchNorm's statistics from rank 0
};
CommunicationFacts communication_facts(const Timeline& timeline);

struct ComparedRun {
  std::size_t of = 0;  ///< index of the case
  std::int64_t gpus = 0;
  std::optional<Report> report;
  std::string refusal;  ///< why there is no report
  CommunicationFacts facts;
  std::string reason;  ///< against the fastest run of this size; empty for that one
};

struct Comparison {
  std::vector<std::string> cases;
  std::vector<ComparedRun> runs;  ///< by size, then by case
};

/// Simulates every case at every size. A case that cannot be at a size is kept with the rule that
/// it breaks; InputError if none can be.
Comparison compare(const std::vector<ComparedCase>& cases,
                   const std::vector<std::int64_t>& gpu_counts, const RunControl& control = {});

/// Why `run` is slower than `best`, in words, from the parts of both.
std::string difference_in_words(const ComparedRun& run, const ComparedRun& best);

}  // namespace dsim
