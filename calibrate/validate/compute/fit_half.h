#pragma once
#include <cstdint>

namespace dsim {

/// Whether a shape belongs to the half of the published GEMMs that the constants of the GPU table
/// were fitted to; the other half was never looked at by the fit. A seeded hash of the shape alone,
/// so that a shape falls on the same side on every GPU.
bool in_fit_half(std::int64_t m, std::int64_t n, std::int64_t k);

}  // namespace dsim
