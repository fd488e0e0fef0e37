#include "calibrate/validate/source_facts.h"

#include "calibrate/validate/text_pattern.h"

namespace dsim {

const std::vector<SourceFact>& source_facts() {
  static const std::vector<SourceFact> facts = [] {
    std::vector<SourceFact> all;
    for (const auto& part :
         {data_parallel_facts(), megatron_facts(), nemo_facts(), sharded_facts()})
      all.insert(all.end(), part.begin(), part.end());
    return all;
  }();
  return facts;
}

std::vector<const SourceFact*> facts_of(const RowInputs& row) {
  std::vector<const SourceFact*> result;
  for (const SourceFact& fact : source_facts()) {
    if (!matches(row.remark("source"), fact.source)) continue;
    const auto holds = [&](std::string_view column, std::string_view pattern) {
      return pattern.empty() || matches(row.text(column), pattern);
    };
    if (holds("id", fact.id) && holds("model", fact.model) && holds("gpu", fact.gpu) &&
        holds("framework", fact.framework) && holds("precision", fact.precision) &&
        holds("strategy", fact.strategy) && holds("gpus", fact.gpus) &&
        holds("seq_len", fact.sequence) && holds("notes", fact.notes) &&
        holds("optimizer", fact.optimizer) && holds("tp", fact.tensor) &&
        holds("activation_recompute", fact.recompute))
      result.push_back(&fact);
  }
  return result;
}

}  // namespace dsim
