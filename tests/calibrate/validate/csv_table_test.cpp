#include "calibrate/validate/csv_table.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <random>

using namespace dsim;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

CsvTable table_of(std::string text) { return CsvTable::parse(std::move(text), "t.csv"); }

std::string message_of(std::string text) {
  try {
    table_of(std::move(text));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("remarks, header row and rows of a table are read") {
  const CsvTable table = table_of(
      "# source: https://example.org/a: b\n# free words\n\nid,Model ,gpus\na,BERT,8\n\nb,\"x, "
      "\"\"y\"\"\",16\n");
  CHECK(table.remark("source") == "https://example.org/a: b");
  CHECK(table.remark("gpu") == "");
  REQUIRE(table.remarks().size() == 2);
  CHECK(table.remarks()[1].value == "free words");
  CHECK(table.columns() == std::vector<std::string>{"id", "model", "gpus"});
  REQUIRE(table.row_count() == 2);
  CHECK(table.cell(0, "model").text == "BERT");
  CHECK(table.cell(1, "model").text == "x, \"y\"");
  CHECK(table.place(table.cell(1, "model")) == "t.csv:7:3");
  CHECK(table.cell(1, "gpus").text == "16");
  CHECK(table.cell(1, "no such column").text == "");
}

TEST_CASE("CRLF, a byte order mark, tabs and semicolons make no difference") {
  const auto text = GENERATE(as<std::string>{}, "a,b\n1,2\n", "a,b\r\n1,2\r\n",
                             "\xEF\xBB\xBF"
                             "a,b\r\n1,2",
                             "a\tb\n1\t2\n", "a;b\n1;2", "\n\r\n a , b \n\t\n 1 , 2 \n\n",
                             "\"a\",\"b\"\n\"1\",\"2\"");
  INFO(text);
  const CsvTable table = table_of(text);
  CHECK(table.columns() == std::vector<std::string>{"a", "b"});
  REQUIRE(table.row_count() == 1);
  CHECK(table.cell(0, "a").text == "1");
  CHECK(table.cell(0, "b").text == "2");
}

TEST_CASE("a quoted field may span lines") {
  const CsvTable table = table_of("a,b\n\"x\ny\",2\n3,4\n");
  REQUIRE(table.row_count() == 2);
  CHECK(table.cell(0, "a").text == "x\ny");
  CHECK(table.cell(0, "b").line == 3);
  CHECK(table.cell(1, "a").line == 4);
}

TEST_CASE("short rows lack their last fields, surplus empty fields are dropped") {
  const CsvTable table = table_of("a,b,c\n1\n1,2,3,,\n");
  CHECK(table.cell(0, "a").text == "1");
  CHECK(table.cell(0, "c").text == "");
  CHECK(table.cell(1, "c").text == "3");
}

TEST_CASE("cells survive moving the table") {
  CsvTable table = table_of("a\n\"\"\"q\"\"\"\n");
  const CsvTable moved = std::move(table);
  CHECK(moved.cell(0, "a").text == "\"q\"");
}

TEST_CASE("mistakes in a table are reported with their place") {
  CHECK_THAT(message_of(""), StartsWith("t.csv:1:1: error: no header row"));
  CHECK_THAT(message_of("# only: remarks\n"), Contains("no header row"));
  CHECK_THAT(message_of("a,b\n1,\"2\n3,4\n"),
             StartsWith("t.csv:2:3: error: this quote is never closed"));
  CHECK_THAT(message_of("a,b\n\"1\"x,2\n"),
             StartsWith("t.csv:2:4: error: text after a closing quote"));
  CHECK_THAT(message_of("a,b\n1,2,3\n"), StartsWith("t.csv:2:5: error: field 3 of a row"));
  CHECK_THAT(message_of("a,b,A\n1,2,3\n"),
             StartsWith("t.csv:1:5: error: column 'a' is named twice"));
  CHECK_THAT(message_of(std::string("a,b\n1,\0\n", 9)), StartsWith("t.csv:2:3: error: a NUL byte"));
  CHECK_THAT(message_of("a,b\n1,\xE9t\xE9\n"), StartsWith("t.csv:2:3: error: not UTF-8"));
  CHECK_THAT(message_of("a,b\n1,\xC0\xAF\n"), Contains("not UTF-8"));
  CHECK_THAT(message_of("a,b\n1,\xED\xA0\x80\n"), Contains("not UTF-8"));
  CHECK_THAT(message_of("\xFF\xFE"
                        "a"),
             Contains("UTF-16"));
}

TEST_CASE("files that are no tables are refused") {
  const auto folder = std::filesystem::temp_directory_path();
  CHECK_THROWS_WITH(CsvTable::load(folder), Contains("not a regular file"));
  CHECK_THROWS_WITH(CsvTable::load(folder / "dsim no such file.csv"), Contains("no such file"));
}

TEST_CASE("any text whatever is either a table or a mistake") {
  const auto seed = GENERATE(1u, 2u, 3u, 4u);
  INFO("seed " << seed);
  std::mt19937 random(seed);
  const std::string alphabet = "ab1\"\",,;\t\n\n\r# :\xC3\xA9";
  for (int round = 0; round < 500; ++round) {
    std::string text;
    for (auto length = random() % 60; length > 0; --length)
      text += alphabet[random() % alphabet.size()];
    try {
      const CsvTable table = table_of(text);
      for (std::size_t row = 0; row < table.row_count(); ++row)
        for (std::size_t column = 0; column < table.columns().size(); ++column)
          CHECK(table.cell(row, column).text.size() <= text.size());
    } catch (const InputError& error) {
      CHECK_THAT(error.what(), StartsWith("t.csv:"));
    }
  }
}

TEST_CASE("a table written with quotes reads back as it was") {
  const auto seed = GENERATE(11u, 12u);
  INFO("seed " << seed);
  std::mt19937 random(seed);
  const std::string alphabet = "xy ,;\t\n\"'#";
  std::vector<std::string> cells;
  std::string text = "a,b\n";
  for (int i = 0; i < 200; ++i) {
    std::string cell, quoted = "\"";
    for (auto length = random() % 8; length > 0; --length)
      cell += alphabet[random() % alphabet.size()];
    for (const char c : cell) quoted += c == '"' ? "\"\"" : std::string(1, c);
    text += quoted + "\"" + (i % 2 == 0 ? "," : "\n");
    cells.push_back(cell);
  }
  const CsvTable table = table_of(text);
  REQUIRE(table.row_count() == 100);
  for (std::size_t i = 0; i < cells.size(); ++i) CHECK(table.cell(i / 2, i % 2).text == cells[i]);
}
