#pragma once
#include <cstdint>
#include <string_view>

#include "sim/base/units.h"

namespace dsim {

/// Element types of nccl-tests. An input of NCCL's choice: NVLS reduces neither 8-bit integers nor
/// fp8 in the switch.
enum class DataType : std::uint8_t {
  int8,
  uint8,
  int32,
  uint32,
  int64,
  uint64,
  half,
  bfloat16,
  float32,
  float64,
  fp8_e4m3,
  fp8_e5m2
};

/// The name nccl-tests prints: "half", "float", "f8e4m3".
std::string_view name_of(DataType type);
Bytes size_of(DataType type);
/// Accepts nccl-tests' names and the common ones (fp16, bf16, fp32). Throws InputError with the
/// nearest name.
DataType data_type_by_name(std::string_view name);

}  // namespace dsim
