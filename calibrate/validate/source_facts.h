#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "calibrate/validate/row_inputs.h"
#include "model/workload/model.h"

namespace dsim {

/// What a source says in prose or in its published scripts, and no column states. A fact holds for
/// the rows whose texts match all its patterns (see text_pattern.h); empty patterns match.
struct SourceFact {
  std::string_view source = {};  ///< of the `# source:` line
  std::string_view model = {}, framework = {}, precision = {}, gpus = {}, sequence = {}, notes = {},
                   optimizer = {};  ///< of these columns

  std::optional<Fusion> fusion = {};
  std::optional<bool> flash_attention = {};  ///< attention as one fused kernel
  std::optional<bool> single_bucket = {};    ///< one all-reduce of all gradients after backward
  std::optional<bool> broadcast_buffers = {};
  std::optional<bool> gradient_as_bucket_view = {};
  std::optional<bool> reduce_in_half = {};  ///< gradients are kept and reduced in fp16
  std::string_view ratios_only = {};        ///< why only ratios between rows mean something
  std::string_view explanation = {};        ///< said beside rows that are far off
  std::string_view citation = {};
};

/// The facts that hold for a row, in table order: later ones override earlier ones.
std::vector<const SourceFact*> facts_of(const RowInputs& row);
/// The whole table.
const std::vector<SourceFact>& source_facts();

}  // namespace dsim
