#include <catch2/catch.hpp>
#include <string>

#include "calibrate/nccl_tests/read_tables.h"
#include "tests/support/message_of.h"

using namespace dsim;
using Catch::Matchers::Contains;
using dsim::test::message_of;

TEST_CASE("JSON of nccl-tests is read", "[nccl_tests]") {
  // Keys of NVIDIA/nccl-tests src/util.cu, JSON file version 2; numbers are made up.
  const std::vector<MeasuredTable> tables = read_measured_tables(
      R"({"version":2,"args":["./build/all_gather_perf","-b","8"],"env":["HOME=/x","NCCL_ALGO=Ring"],
          "nccl_version":22703,"config":{"nthreads":1,"ngpus":2,"iterations":20,"warmup_iters":1,
          "devices":[{"rank":0,"group":0,"pid":1,"hostname":"n0","device":0,"device_hex":"0000:19:00","device_info":"NVIDIA H200"},
                     {"rank":1,"group":0,"pid":1,"hostname":"n0","device":1,"device_hex":"0000:2d:00","device_info":"NVIDIA H200"}]},
          "results":[{"size":1048576,"count":131072,"type":"float","redop":"none","root":"    -1",
            "out_of_place":{"time":50.0,"alg_bw":20.97,"bus_bw":10.49,"nwrong":null},
            "in_place":{"time":49.0,"alg_bw":21.40,"bus_bw":10.70,"nwrong":0.0},"actual_iterations":20}],
          "out_of_bounds":{"count":0,"okay":"true"},"average_bus_bandwidth":{"bandwidth":10.5,"okay":"unchecked"}})",
      "run.json");
  REQUIRE(tables.size() == 1);
  const MeasuredTable& table = tables.front();
  CHECK(table.facts.collective == "all_gather");
  CHECK(table.facts.nccl_version == "2.27.3");
  CHECK(table.facts.ranks == 2);
  CHECK(table.facts.nodes == 1);
  CHECK(table.facts.gpu == "NVIDIA H200");
  CHECK(table.facts.average_busbw_gbps == 10.5);
  REQUIRE(table.facts.environment.size() == 1);
  REQUIRE(table.rows.size() == 1);
  CHECK(table.rows[0].root == -1);
  CHECK(table.rows[0].time_us == 50.0);
  CHECK(!table.rows[0].wrong);
  CHECK(table.rows[0].in_place_busbw_gbps == 10.70);
}

TEST_CASE("JSON that is something else is refused where it stands", "[nccl_tests]") {
  CHECK_THAT(message_of([] { read_measured_tables("{\"format\": \"dsim.report/1\"}", "r.json"); }),
             Contains("r.json:1:1: error: neither what nccl-tests writes"));
  CHECK_THAT(message_of([] { read_measured_tables("{\"results\": []}", "r.json"); }),
             Contains("its table has no row"));
  CHECK_THAT(message_of([] {
               read_measured_tables(
                   "{\"results\": [{\"size\": 8, \"out_of_place\": {\"time\": -1}}]}", "r.json");
             }),
             Contains("r.json:1:"));
}

TEST_CASE("CSV with remarks is read; blank cells were not published", "[nccl_tests]") {
  const std::vector<MeasuredTable> tables = read_measured_tables(
      "# source: made up\n# gpu: GB200\n# gpus_per_node: 4\n# nodes: 3\n# ranks: 12\n"
      "# nccl_version: 2.27.3\n# collective: alltoall\n# dtype: half\n"
      "size_bytes,time_us,algbw_gbps,busbw_gbps\n1048576,,107.3,196.72\n2097152,20,104.86,\n",
      "t.csv");
  REQUIRE(tables.size() == 1);
  const MeasuredFacts& facts = tables[0].facts;
  CHECK(facts.collective == "all_to_all");
  CHECK(facts.gpu == "GB200");
  CHECK(facts.ranks == 12);
  CHECK(facts.nodes == 3);
  CHECK(facts.gpus_per_node == 4);
  REQUIRE(tables[0].rows.size() == 2);
  CHECK(!tables[0].rows[0].time_us);
  CHECK(tables[0].rows[0].busbw_gbps == 196.72);
  CHECK(!tables[0].rows[1].busbw_gbps);
  CHECK(tables[0].rows[1].type == "half");
  CHECK_THAT(message_of([] { read_measured_tables("size_bytes,time_us\n8,-3\n", "t.csv"); }),
             Contains("t.csv:2:3: error: expected a number, found '-3'"));
}
