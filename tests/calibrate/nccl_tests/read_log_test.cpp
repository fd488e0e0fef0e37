#include <catch2/catch.hpp>
#include <random>
#include <string>

#include "calibrate/nccl_tests/read_tables.h"
#include "tests/support/message_of.h"

using namespace dsim;
using Catch::Matchers::Contains;
using dsim::test::message_of;

namespace {

// Rows as nccl-tests 2.13 prints them; numbers are made up.
const std::string header =
    "#       size         count      type   redop    root     time   algbw   busbw #wrong     time "
    "  "
    "algbw   busbw #wrong\n"
    "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us) "
    " "
    "(GB/s)  (GB/s)\n";
const std::string row_1k =
    "        1024           256     float     sum      -1    20.00    0.05    0.09      0    19.00 "
    "   0.05   "
    " 0.09      0\n";
const std::string row_1m =
    "     1048576        262144     float     sum      -1    50.00   20.97   36.70      0    49.00 "
    "  21.40   "
    "37.45    N/A\n";

MeasuredTable read_one(const std::string& text) {
  std::vector<MeasuredTable> tables = read_measured_tables(text, "run.log");
  REQUIRE(tables.size() == 1);
  return tables.front();
}

/// Every line behind a prefix.
std::string prefixed(const std::string& text, const std::string& prefix) {
  std::string result;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    result += prefix + text.substr(begin, end - begin + 1);
    begin = end + 1;
  }
  return result;
}

}  // namespace

TEST_CASE("a table of nccl-tests is read with all its columns", "[nccl_tests]") {
  const MeasuredTable table = read_one(header + row_1k + row_1m);
  REQUIRE(table.rows.size() == 2);
  const MeasuredRow& row = table.rows[1];
  CHECK(row.size_bytes == 1048576);
  CHECK(row.count == 262144);
  CHECK(row.type == "float");
  CHECK(row.redop == "sum");
  CHECK(row.root == -1);
  CHECK(row.time_us == 50.0);
  CHECK(row.algbw_gbps == 20.97);
  CHECK(row.busbw_gbps == 36.70);
  CHECK(row.wrong == 0);
  CHECK(row.in_place_time_us == 49.0);
  CHECK(row.in_place_busbw_gbps == 37.45);
  CHECK(row.line == 4);
  CHECK(table.line == 1);
}

TEST_CASE("what launchers and terminals put around a table does not matter", "[nccl_tests]") {
  const std::string plain = header + row_1k + row_1m;
  std::string crlf = plain;
  for (std::size_t at = 0; (at = crlf.find('\n', at)) != std::string::npos; at += 2)
    crlf.insert(at, "\r");
  const std::string text =
      GENERATE_COPY(prefixed(plain, "[1,0]<stdout>:"), prefixed(plain, "0: "),
                    prefixed(plain, "    "), prefixed(plain, "2026-01-02T03:04:05Z "),
                    prefixed(plain, "node1  | "), prefixed(plain, "[pod/launcher-x7] "),
                    prefixed(plain, "\x1b[32m"), crlf, "\xef\xbb\xbf" + plain);
  const MeasuredTable table = read_one(text);
  REQUIRE(table.rows.size() == 2);
  CHECK(table.rows[0].size_bytes == 1024);
  CHECK(table.rows[1].busbw_gbps == 36.70);
}

TEST_CASE("mpirun's tag may stand inside a row", "[nccl_tests]") {
  const MeasuredTable table =
      read_one(header +
               "[1,0]<stdout>:        1024           256     float     sum      -1[1,0]<stdout>:   "
               " 20.00    0.05    "
               "0.09      0[1,0]<stdout>:    19.00    0.05    0.09      0\n");
  REQUIRE(table.rows.size() == 1);
  CHECK(table.rows[0].in_place_time_us == 19.0);
}

TEST_CASE("tables of 2.9 have errors for #wrong and no root; all_gather has no redop",
          "[nccl_tests]") {
  SECTION("all_reduce") {
    const MeasuredTable table = read_one(
        "#       size         count    type   redop     time   algbw   busbw  error     time   "
        "algbw   busbw  "
        "error\n"
        "     1048576        262144   float     sum    50.00   20.97   36.70  4e-07    49.00   "
        "21.40   37.45  "
        "4e-07\n");
    CHECK(table.rows[0].busbw_gbps == 36.70);
    CHECK(table.rows[0].in_place_time_us == 49.0);
    CHECK(!table.rows[0].root);
    CHECK(table.facts.collective == "all_reduce");
    CHECK(table.facts.ranks == 8);
  }
  SECTION("a blank redop") {
    const MeasuredTable table = read_one(
        "#       size         count    type   redop     time   algbw   busbw  error     time   "
        "algbw   busbw  "
        "error\n"
        "     1048576         32768   float             50.00   20.97   18.35    N/A    49.00   "
        "21.40   18.73   "
        " N/A\n");
    CHECK(table.rows[0].time_us == 50.0);
    CHECK(table.rows[0].redop.empty());
    CHECK(table.facts.ranks == 8);
    CHECK(table.facts.collective.empty());
  }
  SECTION("broadcast has a root and no redop") {
    const MeasuredTable table = read_one(
        "#       size         count    type    root     time   algbw   busbw  error     time   "
        "algbw   busbw  "
        "error\n"
        "     1048576        262144   float       3    50.00   20.97   20.97    N/A    49.00   "
        "21.40   21.40   "
        " N/A\n");
    CHECK(table.rows[0].root == 3);
    CHECK(table.facts.collective == "broadcast");
  }
}

TEST_CASE("facts of the run come from the lines around the table", "[nccl_tests]") {
  const MeasuredTable table = read_one(
      "# nccl-tests version 2.17.9 nccl-headers=22903 nccl-library=22703\n"
      "# Collective test starting: all_reduce_perf_mpi\n"
      "# nThread 1 nGpus 2 minBytes 1024 maxBytes 1048576 step: 2(factor) warmup iters: 5 iters: "
      "20 agg iters: 1\n"
      "#  Rank  0 Group  0 Pid   1234 on      node0 device  0 [0000:19:00] NVIDIA H100 80GB HBM3\n"
      "#  Rank  1 Group  0 Pid   1234 on      node1 device  0 [0000:19:00] NVIDIA H100 80GB HBM3\n"
      "node0:1:1 [0] NCCL INFO NCCL_ALGO set by environment to RING.\n"
      "node0:1:2 [0] NCCL INFO 16 coll channels, 16 collnet channels, 8 nvls channels, 32 p2p "
      "channels, 2 p2p "
      "channels per peer\n"
      "node0:1:2 [0] NCCL INFO Using network IB\n" +
      header +
      "node0:1:2 [0] NCCL INFO AllReduce: 1024 Bytes -> Algo RING proto LL "
      "channel{Lo..Hi}={0..1}\n" +
      row_1k + row_1m + "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 18.4\n");
  const MeasuredFacts& facts = table.facts;
  CHECK(facts.collective == "all_reduce");
  CHECK(facts.nccl_version == "2.27.3");
  CHECK(facts.tests_version == "2.17.9");
  CHECK(facts.gpus_per_process == 2);
  CHECK(facts.warmup_iterations == 5);
  CHECK(facts.iterations == 20);
  CHECK(facts.ranks == 2);
  CHECK(facts.nodes == 2);
  CHECK(facts.gpu == "NVIDIA H100 80GB HBM3");
  CHECK(facts.coll_channels == 16);
  CHECK(facts.nvls_channels == 8);
  CHECK(facts.p2p_channels == 32);
  CHECK(facts.network == "IB");
  CHECK(facts.average_busbw_gbps == 18.4);
  CHECK(facts.out_of_bounds == 0);
  REQUIRE(facts.environment.size() == 1);
  CHECK(facts.environment[0] == std::pair<std::string, std::string>{"NCCL_ALGO", "RING"});
  REQUIRE(facts.choices.size() == 1);
  CHECK(facts.choices[0].operation == "AllReduce");
  CHECK(facts.choices[0].size_bytes == 1024);
  CHECK(facts.choices[0].algorithm == "RING");
  CHECK(facts.choices[0].protocol == "LL");
}

TEST_CASE("several runs in a file are several tables, each with its facts", "[nccl_tests]") {
  const std::vector<MeasuredTable> tables = read_measured_tables(
      "# Collective test starting: all_reduce_perf\n" + header + row_1k + row_1m +
          "# Avg bus bandwidth    : 18.4\n# Collective test starting: reduce_perf\n" + header +
          row_1k,
      "two.log");
  REQUIRE(tables.size() == 2);
  CHECK(tables[0].facts.collective == "all_reduce");
  CHECK(tables[0].rows.size() == 2);
  CHECK(tables[1].facts.collective == "reduce");
  CHECK(tables[1].rows.size() == 1);
  CHECK(!tables[1].facts.average_busbw_gbps);
}

TEST_CASE("lines that cannot be read are skipped, counted and said", "[nccl_tests]") {
  const std::string cut = row_1m.substr(0, 66) + "\n";
  const MeasuredTable table = read_one(header + row_1k + cut +
                                       "     2097152        524288     float     sum      -1    "
                                       "XXXXX  XXX.XX  XXX.XX    N/A   XXXXX  XXX.XX  "
                                       "XXX.XX    N/A\n");
  CHECK(table.rows.size() == 1);
  REQUIRE(!table.notices.empty());
  CHECK_THAT(table.notices[0], Contains("2 lines of the table left out (line 4: it ends early)"));
}

TEST_CASE("a row whose bandwidth contradicts its time is not believed", "[nccl_tests]") {
  std::string wrong = row_1m;
  wrong.replace(wrong.find("50.00"), 5, " 5.00");
  CHECK_THAT(message_of([&] { read_measured_tables(header + wrong, "run.log"); }),
             Contains("run.log: no row can be used") && Contains("contradict"));
}

TEST_CASE("rows of size 0 are left out and said", "[nccl_tests]") {
  const MeasuredTable table = read_one(header +
                                       "           0             0     float     sum      -1     "
                                       "0.20    0.00    0.00      0     0.18    0.00    "
                                       "0.00      0\n" +
                                       row_1k);
  CHECK(table.rows.size() == 1);
  CHECK_THAT(table.notices[0], Contains("one row of size 0 left out"));
}

TEST_CASE("files without a table are refused with the reason", "[nccl_tests]") {
  CHECK_THAT(message_of([] { read_measured_tables("", "a"); }), Contains("a: is empty"));
  CHECK_THAT(message_of([] {
               read_measured_tables(std::string("\x7f"
                                                "ELF\0\0",
                                                6),
                                    "a");
             }),
             Contains("a: is not a text file"));
  CHECK_THAT(message_of([] { read_measured_tables("hello\n", "a"); }),
             Contains("no table of nccl-tests"));
  CHECK_THAT(message_of([] { read_measured_tables(header, "a"); }), Contains("no row of it"));
  CHECK_THAT(message_of([] { load_measured_tables("/"); }), Contains("is a folder"));
  CHECK_THAT(message_of([] { load_measured_tables("/nowhere/x.log"); }), Contains("No such file"));
}

TEST_CASE("hostile text ends in a message, never in a crash", "[nccl_tests]") {
  CHECK_THAT(message_of([] { read_measured_tables(std::string(20'000'000, 'x'), "a"); }),
             Contains("no table"));
  CHECK_THAT(message_of([] {
               read_measured_tables(header + "-8 2 float sum -1 1 nan inf 0 1 1 1 0\n", "a");
             }),
             Contains("no row can be used"));
  // Any damage to a good file: rows keep sizes above 0 and finite numbers, or the file is refused.
  std::mt19937 random(7);
  const std::string good = header + row_1k + row_1m;
  for (int i = 0; i < 2000; ++i) {
    std::string text = good;
    for (int k = 0; k < 4; ++k)
      text[random() % text.size()] = static_cast<char>(random() % 255 + 1);
    text.resize(text.size() - random() % 80);
    try {
      for (const MeasuredTable& table : read_measured_tables(text, "a"))
        for (const MeasuredRow& row : table.rows) {
          CHECK(row.size_bytes > 0);
          CHECK(row.time_us.value_or(0) >= 0);
        }
    } catch (const InputError&) {
      SUCCEED();
    }
  }
}
