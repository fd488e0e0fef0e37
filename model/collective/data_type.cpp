#include "model/collective/data_type.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "sim/base/error.h"
#include "sim/base/spelling.h"

namespace dsim {

namespace {

struct Row {
  DataType type;
  int bytes;
  std::string_view name;  // as nccl-tests prints it (src/common.cu test_typenames)
};

constexpr std::array<Row, 12> rows = {{{DataType::int8, 1, "int8"},
                                       {DataType::uint8, 1, "uint8"},
                                       {DataType::int32, 4, "int32"},
                                       {DataType::uint32, 4, "uint32"},
                                       {DataType::int64, 8, "int64"},
                                       {DataType::uint64, 8, "uint64"},
                                       {DataType::half, 2, "half"},
                                       {DataType::bfloat16, 2, "bfloat16"},
                                       {DataType::float32, 4, "float"},
                                       {DataType::float64, 8, "double"},
                                       {DataType::fp8_e4m3, 1, "f8e4m3"},
                                       {DataType::fp8_e5m2, 1, "f8e5m2"}}};

struct Alias {
  std::string_view name;
  DataType type;
};

constexpr std::array<Alias, 12> aliases = {{{"fp16", DataType::half},
                                            {"float16", DataType::half},
                                            {"bf16", DataType::bfloat16},
                                            {"fp32", DataType::float32},
                                            {"float32", DataType::float32},
                                            {"fp64", DataType::float64},
                                            {"float64", DataType::float64},
                                            {"fp8", DataType::fp8_e4m3},
                                            {"fp8_e4m3", DataType::fp8_e4m3},
                                            {"fp8_e5m2", DataType::fp8_e5m2},
                                            {"byte", DataType::uint8},
                                            {"char", DataType::int8}}};

bool same(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

const Row& row(DataType type) { return rows.at(static_cast<std::size_t>(type)); }

}  // namespace

std::string_view name_of(DataType type) { return row(type).name; }

Bytes size_of(DataType type) { return Bytes{row(type).bytes}; }

DataType data_type_by_name(std::string_view name) {
  for (const Row& r : rows)
    if (same(name, r.name)) return r.type;
  for (const Alias& a : aliases)
    if (same(name, a.name)) return a.type;
  std::vector<std::string_view> known;
  for (const Row& r : rows) known.push_back(r.name);
  for (const Alias& a : aliases) known.push_back(a.name);
  throw InputError(unknown_name("data type", name, known));
}

}  // namespace dsim
