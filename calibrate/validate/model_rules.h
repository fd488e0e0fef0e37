#pragma once
#include <string>
#include <string_view>

#include "calibrate/validate/row_inputs.h"
#include "model/workload/model.h"

namespace dsim {

/// Each reads one column of a row into a name of ours; throws Unpredictable when no rule applies.

/// A name of the model table.
std::string_view model_of(const RowInputs& row);
/// Empty if the row states none.
std::optional<Precision> precision_of(const RowInputs& row);
/// A name of the optimizer table; "" if the row states none.
std::string_view optimizer_of(const RowInputs& row);
/// How elementwise work is fused. PyTorch only; other frameworks are not predictable.
Fusion fusion_of(const RowInputs& row);
/// Whether attention is one fused kernel: unless the row names PyTorch 1 (fused attention came
/// with 2.0).
bool flash_attention_of(const RowInputs& row);
/// Checks that the row is plain data parallelism (or one GPU) without recomputation.
void require_data_parallel(const RowInputs& row);
/// "bucket_cap_mb=1" in a column or in the notes, MiB; 0 if not stated.
std::int64_t bucket_cap_of(const RowInputs& row);

}  // namespace dsim
