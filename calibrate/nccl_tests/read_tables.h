#pragma once
// The door to measured tables of collectives: logs of nccl-tests, its JSON, ours, and CSV.
#include <filesystem>
#include <string>
#include <vector>

#include "calibrate/sample.h"

namespace dsim {

/// Files are looked at up to here.
inline constexpr std::size_t largest_measured_file = std::size_t{256} << 20;

/// The tables of a file, whatever it holds: told apart by content, never by name. At least one,
/// each with at least one row. InputError: no such file, a directory, too large, not text, or no
/// table in it, with the reason.
std::vector<MeasuredTable> load_measured_tables(const std::filesystem::path& path);
/// Same of a text; `name` stands for the file.
std::vector<MeasuredTable> read_measured_tables(std::string text, const std::string& name);

// The kinds one by one; they may return no table where that is no mistake of their own.

/// A log as people paste it: launcher's prefixes, colours, NCCL INFO lines, several runs in a file.
/// Lines of a table that cannot be read are skipped, counted and said.
std::vector<MeasuredTable> read_nccl_tests_log(std::string_view text, const std::string& name);
/// What nccl-tests writes with -J, or `dsim collective --json`.
std::vector<MeasuredTable> read_nccl_tests_json(std::string text, const std::string& name);
/// `# key: value` lines and the columns size_bytes, time_us, algbw_gbps, busbw_gbps.
std::vector<MeasuredTable> read_collective_csv(std::string text, const std::string& name);

}  // namespace dsim
