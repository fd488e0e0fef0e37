#pragma once
// What NCCL cannot run, whatever its estimate says.
#include <string_view>

#include "model/collective/nccl/tuning.h"
#include "model/collective/nccl/tuning_filter.h"

namespace dsim {

/// Why NCCL does not consider an algorithm with a protocol; "" if it does.
std::string_view tuning_limit(const TuningCase& c, const NcclSettings& settings, DataType type,
                              NcclAlgorithm algorithm, Protocol protocol);

/// Why the user's lists or NCCL's default for LL128 leave it out; "" if they do not.
std::string_view tuning_filtered(const TuningCase& c, const TuningFilter& filter,
                                 NcclAlgorithm algorithm, Protocol protocol);

/// NVLS adds in the switch: neither 8-bit integers nor fp8 (NVIDIA/nccl src/include/device.h
/// ncclNvlsSupported).
bool nvls_reduces(DataType type);

}  // namespace dsim
