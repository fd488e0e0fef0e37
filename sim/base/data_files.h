#pragma once
#include <filesystem>
#include <string_view>

namespace dsim {

/// The folder with the installed data (topologies, nodes): beside the binary (PREFIX/share/dsim,
/// found from /proc/self/exe) or, in a build tree, the source folder. DSIM_DATA_DIR overrides.
std::filesystem::path data_directory();

/// Finds a file named by the user: as given, relative to the working directory, then in
/// `data_directory()/folder`; with and without ".json". Throws InputError with the nearest shipped name.
std::filesystem::path find_data_file(std::string_view name, std::string_view folder);

}  // namespace dsim
