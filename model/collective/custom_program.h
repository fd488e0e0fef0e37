#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "model/collective/schedule.h"

namespace dsim {

/// A collective that somebody wrote down round by round; checked when it is read.
///   { "format": "dsim.program/1", "name": "pair", "op": "all_reduce", "ranks": 2, "blocks": 1,
///     "rounds": [[ {"from": 0, "to": 1, "block": 0, "count": 1, "reduce": true},
///                  {"from": 1, "to": 0, "block": 0, "count": 1, "reduce": true} ]] }
/// "count" is 1 and "reduce" false where left out; "root" is 0; "owners" as in RoundProgram.
struct CustomProgram {
  std::string name;
  CollectiveOp op = CollectiveOp::all_reduce;
  std::uint32_t ranks = 0;
  std::uint32_t blocks = 0;
  std::uint32_t root = 0;
  std::vector<std::uint32_t> owners;
  std::vector<std::vector<Transfer>> rounds;
};

/// Reads our JSON or, where the text begins with '<', MSCCL XML. Throws InputError: what cannot be
/// read, and a program after which a rank lacks a block, holds a part twice or waits for ever.
CustomProgram load_custom_program(const std::filesystem::path& path);
/// Same from text; `name` stands for the file in messages.
CustomProgram parse_custom_program(std::string text, std::string name);

/// The program as rounds, sharing nothing with `program`.
RoundProgram round_program(const CustomProgram& program);

}  // namespace dsim
