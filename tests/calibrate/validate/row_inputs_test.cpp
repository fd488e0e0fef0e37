#include "calibrate/validate/row_inputs.h"

#include <catch2/catch.hpp>
#include <stdexcept>

using namespace dsim;

namespace {

CsvTable table_of(std::string text) { return CsvTable::parse(std::move(text), "t.csv"); }

}  // namespace

TEST_CASE("numbers of tables are read whole or not at all") {
  CHECK(parse_table_number("8") == 8);
  CHECK(parse_table_number("+8.50") == 8.5);
  CHECK(parse_table_number("25.6e6") == 25.6e6);
  CHECK(parse_table_number("1,281,167") == 1281167);
  CHECK(parse_table_number("1,024.5") == 1024.5);
  for (const char* text :
       {"", "x", "8 GPUs", "1,28", "1,,000", ",100", "nan", "inf", "1e999", "0x10", "12%", "1 2"})
    CHECK_FALSE(parse_table_number(text).has_value());
}

TEST_CASE("a row does not show what was measured before it is predicted") {
  const CsvTable table = table_of("model,step_time_s,throughput,mfu\nbert,1,2,3\n");
  const RowInputs row(table, 0);
  CHECK(row.text("model") == "bert");
  for (const char* column : {"step_time_s", "step_time_ms", "throughput", "tflops_per_gpu", "mfu",
                             "hfu", "scaling_efficiency", "peak_mem_gb"})
    CHECK_THROWS_AS(row.text(column), std::logic_error);
}

TEST_CASE("a column that a table lacks is looked for above its header row") {
  const CsvTable table = table_of("# gpu: H100\n# gpus: 8\nmodel,precision\nbert,\n");
  const RowInputs row(table, 0);
  CHECK(row.text("gpu") == "H100");
  CHECK(row.count("gpus", 1) == 8);
  CHECK(row.text("precision") == "");  // there is a column: it states nothing
  CHECK(row.count("nodes", 3) == 3);
}

TEST_CASE("unknown, n/a and the like state nothing") {
  const CsvTable table = table_of("a,b,c,d,e\nn/a,N/A,-,unknown,?\n");
  const RowInputs row(table, 0);
  for (const char* column : {"a", "b", "c", "d", "e"}) CHECK(row.text(column) == "");
}

TEST_CASE(
    "a cell that should be a number and is none makes the row unpredictable, with its place") {
  const CsvTable table = table_of("model,gpus,nodes,tp,pp\nbert,eight,0,1.5,1e300\n");
  const RowInputs row(table, 0);
  const auto reason = [&](const char* column) {
    try {
      row.count(column, 1);
    } catch (const Unpredictable& why) {
      CHECK(why.obstacle == Obstacle::number);
      return why.reason;
    }
    return std::string();
  };
  CHECK(reason("gpus") == "gpus 'eight' is not a number (t.csv:2:6)");
  CHECK(reason("nodes") == "nodes '0' is not a whole number of at least 1 (t.csv:2:12)");
  CHECK(reason("tp") != "");
  CHECK(reason("pp") != "");
}
