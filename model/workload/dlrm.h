#pragma once
#include <span>

#include "model/workload/model.h"

namespace dsim {

/// DLRM (Naumov et al. 2019, arXiv:1906.00091) on the Criteo 1TB click logs as MLPerf Training v0.7
/// has it: 26 tables of 128 columns, at most 40 M rows each, and two MLPs.
///
/// Expert-parallel ranks share the tables; vectors and their gradients go round in an all-to-all
/// over ParallelGroup::expert, forward beside the bottom MLP. Approximated: tables are cut evenly
/// (real ones are placed whole or by column); a shared table's gradient is sparse, so its Parameter
/// holds the rows that a micro-batch touches at most, and the table itself counts as workspace.
std::span<const ModelKind> dlrm_kinds();

}  // namespace dsim
