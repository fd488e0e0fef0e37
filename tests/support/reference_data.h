#pragma once
#include <filesystem>
#include <optional>

namespace dsim::test {

/// The folder of published measurements, from the variable DSIM_REFERENCE_DATA; nullopt if that is
/// not set, and then the test warns and returns.
std::optional<std::filesystem::path> reference_data();

}  // namespace dsim::test
