#pragma once
// Header and rows of a table as nccl-tests prints it (NVIDIA/nccl-tests src/util.cu and, before
// 2.17, src/common.cu).
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/sample.h"

namespace dsim {

/// A column of a table. Up to 2.9 there was no root, in some collectives no redop; "error" became
/// "#wrong" in 2.13.
enum class TableColumn : std::uint8_t {
  size,
  count,
  type,
  redop,
  root,
  time,
  algbw,
  busbw,
  wrong,
  other
};

/// The columns from the line that names them; empty if this is no such line.
std::vector<TableColumn> read_table_header(std::string_view line);

/// What a line of a table turned out to be.
struct TableLine {
  enum class Kind : std::uint8_t { row, not_a_row, unreadable } kind = Kind::not_a_row;
  MeasuredRow row;
  std::string reason;  ///< why it is unreadable: "it ends early"
};
/// `columns` as read_table_header gave them; without them the number of values decides.
TableLine read_table_row(std::string_view line, const std::vector<TableColumn>& columns);

}  // namespace dsim
