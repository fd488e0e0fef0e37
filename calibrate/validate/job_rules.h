#pragma once
#include "calibrate/validate/row_plan.h"

namespace dsim {

/// Each reads columns of a row into the plan's job; throws Unpredictable where no rule applies.

/// Framework and strategy: which of ours the words mean, with the options the words themselves
/// state.
void read_strategy(RowPlan& plan);
/// tp, pp, vp, cp, ep, sp and dp against the GPUs.
void read_parallelism(RowPlan& plan);
void read_recompute(RowPlan& plan);
void read_precision(RowPlan& plan);
void read_optimizer(RowPlan& plan);
/// Micro-batch and accumulation. The global batch is trusted before either of its factors, because
/// throughput follows from it; the micro-batch before the accumulation, because memory shows it.
void read_batch(RowPlan& plan);
/// "bucket_cap_mb=1" in a column or in the notes, MiB; 0 if not stated.
std::int64_t bucket_cap_of(const RowInputs& row);

}  // namespace dsim
