#pragma once
#include <string_view>
#include <vector>

#include "calibrate/validate/row_plan.h"

namespace dsim {

/// What a source says in prose or in its published scripts, and no column states. A fact holds for
/// the rows whose texts match all its patterns (see text_pattern.h); empty patterns match.
struct SourceFact {
  std::string_view source = {};  ///< of the `# source:` line
  std::string_view id = {}, model = {}, gpu = {}, framework = {}, precision = {}, strategy = {},
                   gpus = {}, sequence = {}, notes = {}, optimizer = {}, tensor = {},
                   recompute = {};  ///< of these columns

  std::string_view column = {}, value = {};  ///< what an empty cell of a column is
  void (*set)(RowPlan& plan) = nullptr;      ///< what it makes of the job
  std::string_view says = {};                ///< the same in words
  std::string_view ratios_only = {};         ///< why only ratios between rows mean something
  std::string_view excluded = {};            ///< why the row counts nowhere
  std::string_view explanation = {};         ///< said beside rows that are far off
  bool inferred = false;                     ///< from other figures of the source, not its words
  std::string_view citation = {};
};

/// The facts that hold for a row, in table order: later ones override earlier ones.
std::vector<const SourceFact*> facts_of(const RowInputs& row);
/// The whole table: general ones, then source by source.
const std::vector<SourceFact>& source_facts();

// Its parts.
std::vector<SourceFact> megatron_facts();       ///< Megatron-LM to 2022, Megatron-DeepSpeed
std::vector<SourceFact> nemo_facts();           ///< NeMo, MLPerf, Megatron-Bridge, SimuMax
std::vector<SourceFact> sharded_facts();        ///< FSDP, ZeRO, nanotron, Paddle
std::vector<SourceFact> data_parallel_facts();  ///< DDP and Horovod sources

}  // namespace dsim
