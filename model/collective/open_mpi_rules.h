#pragma once
// Open MPI's fixed decision tables, 4.1 and 5.0: facts of open-mpi/ompi
// ompi/mca/coll/tuned/coll_tuned_decision_fixed.c, commutative operations.
#include <cstdint>
#include <span>

#include "model/workload/program.h"

namespace dsim {

/// Algorithm `number` for sizes below `below` bytes; the last step of a row has no end (0).
struct OpenMpiStep {
  std::int64_t below;
  int number;
};

/// Communicators of fewer than `ranks`; the last row has no end (0).
struct OpenMpiRow {
  std::uint32_t ranks;
  std::span<const OpenMpiStep> steps;
};

/// Empty for operations without a table.
std::span<const OpenMpiRow> open_mpi_rows(CollectiveOp op);

}  // namespace dsim
