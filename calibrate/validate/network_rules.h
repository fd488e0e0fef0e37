#pragma once
#include "calibrate/validate/row_plan.h"

namespace dsim {

/// Which network a row trains: by its name, then by what its dimension columns change, or by the
/// dimensions alone. Sets `network` and `config`. Throws Unpredictable (model).
void read_network(RowPlan& plan);

/// Builds what `read_network` and the facts left: sets Job.kind, or Job.model where nothing differs
/// from the table. Throws Unpredictable for dimensions that no network can have.
void finish_network(RowPlan& plan);

}  // namespace dsim
