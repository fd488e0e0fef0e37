#pragma once
#include "model/workload/model.h"

namespace dsim {

/// Builds what `kind.transformer` describes: one rank's share of every layer and the collectives
/// among its kernels. InputError: degrees that do not divide the network, with the rule.
Model build_transformer(const ModelKind& kind, const ModelRequest& request);

}  // namespace dsim
