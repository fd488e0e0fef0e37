#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/sample.h"

namespace dsim {

/// "23007" as NCCL_VERSION_CODE counts it: "2.30.7"; "" for what is no version.
std::string nccl_version_of_code(std::int64_t code);

/// "all_reduce" of a program's name such as "./build/all_reduce_perf_mpi"; "" if it is none of
/// nccl-tests.
std::string collective_of_program(std::string_view program);

/// Takes from a cleaned line what it says of the run: the lines that nccl-tests writes before and
/// after its table, and NCCL INFO. Returns true where the line opens a new run.
bool read_run_fact(std::string_view line, MeasuredFacts& facts);

/// Once all rows are there: ranks and collective where no line said them and the numbers leave one
/// possibility; each is mentioned in the notices.
void infer_facts(MeasuredTable& table);

}  // namespace dsim
