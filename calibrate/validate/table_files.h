#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "calibrate/validate/csv_table.h"

namespace dsim {

/// Where measurements are looked for when no folder is named: `$DSIM_REFERENCE_DATA/<kind>` if that
/// variable is set, else the published figures that are installed with dsim.
std::filesystem::path default_measurements(std::string_view kind);

/// The same for tables of collectives: `$DSIM_REFERENCE_DATA/nccl-tests` and `nccl-aic`.
std::vector<std::filesystem::path> default_collective_tables();

/// The tables (.csv, .tsv) of a folder in the order of their names, or the one file (or of several
/// such places). If `sources` is not empty, only those with these names (file names without
/// extension). InputError: no such folder, no table in it, an unknown source.
std::vector<CsvTable> load_tables(const std::vector<std::filesystem::path>& places,
                                  const std::vector<std::string>& sources);
std::vector<CsvTable> load_tables(const std::filesystem::path& place,
                                  const std::vector<std::string>& sources);

}  // namespace dsim
