#pragma once
#include <cstdint>
#include <string_view>

namespace dsim {

/// Library that runs collectives. Gloo and MPI move host memory.
enum class Backend : std::uint8_t { nccl, gloo, mpi };
std::string_view name_of(Backend backend);
/// Throws InputError with the nearest name.
Backend backend_by_name(std::string_view name);

}  // namespace dsim
