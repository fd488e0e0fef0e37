#pragma once
#include <cstdint>
#include <string_view>

namespace dsim {

/// How NCCL moves bytes: LL sends 8 B of data and 8 B of flags, LL128 120 B of data and 8 B of
/// flag, Simple raw data with head and tail counters (NVIDIA/nccl src/include/device.h). `host` is
/// a CPU back end (Gloo, MPI), which has no such choice.
enum class Protocol : std::uint8_t { ll, ll128, simple, host };
inline constexpr std::size_t nccl_protocol_count = 3;

/// "LL", "LL128", "Simple", "host".
std::string_view name_of(Protocol protocol);
/// Any case. Throws InputError with the nearest name.
Protocol protocol_by_name(std::string_view name);

/// Bytes on the wire for a byte of data: 2, 16/15, 1, 1.
double wire_factor(Protocol protocol);

}  // namespace dsim
