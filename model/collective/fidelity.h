#pragma once
#include <cstdint>
#include <string_view>

namespace dsim {

/// How closely a collective is simulated. steps: every slice of every message. fluid: one coupled
/// activity per channel. closed: formulas, nothing contends.
enum class Fidelity : std::uint8_t { steps, fluid, closed };
std::string_view name_of(Fidelity fidelity);

}  // namespace dsim
