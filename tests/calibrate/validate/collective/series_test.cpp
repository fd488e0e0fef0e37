#include "calibrate/validate/collective/series.h"

#include <catch2/catch.hpp>

#include "calibrate/validate/collective/measured.h"

using namespace dsim;

namespace {

struct Read {
  CsvTable table;
  std::vector<CollectiveSeries> series;
  std::vector<SeriesGap> gaps;
  bool known = false;

  Read(std::string text, std::string name)
      : table(CsvTable::parse(std::move(text), std::move(name))) {
    known = read_series(table, series, gaps);
  }
  double seconds(std::size_t row, CollectiveOp op, std::uint32_t ranks) const {
    return measured_time(series.at(0), series[0].rows.at(row), op, ranks).seconds.value_or(-1);
  }
};

}  // namespace

TEST_CASE("a table of nccl-tests is one run with the facts of its header", "[collectives]") {
  const Read read(
      "# source: github.com/A/B:doc.md\n# gpu: H100 SXM\n# nodes: 2\n# gpus_per_node: 8\n"
      "# inter_link: 8x NDR400 IB\n# collective: all_reduce\n# algo_forced: none\n"
      "# proto_forced: LL\n# nccl_version: unknown\n# healthy: yes\n"
      "size_bytes,time_us,algbw_gbps,busbw_gbps\n8,25,0,0\n1048576,,,50\n64,,,0.01\n",
      "some.csv");
  REQUIRE(read.series.size() == 1);
  const CollectiveSeries& run = read.series[0];
  CHECK(run.name == "some");
  CHECK(run.stated.gpu == "H100 SXM");
  CHECK(run.stated.nodes == 2);
  CHECK(run.stated.algorithm.empty());
  CHECK(run.stated.protocol == "LL");
  CHECK(run.stated.nccl_version.empty());
  REQUIRE(run.rows.size() == 3);
  CHECK(run.rows[1].bytes == 1048576);
  CHECK(read.seconds(0, CollectiveOp::all_reduce, 16) == Approx(25e-6));
  // Blank time: size x 2(n-1)/n / busbw.
  CHECK(read.seconds(1, CollectiveOp::all_reduce, 16) == Approx(1048576 * 1.875 / 50e9));
  // 0.01 may be anything from 0.005 to 0.015.
  CHECK(read.seconds(2, CollectiveOp::all_reduce, 16) == -1);
}

TEST_CASE("sizes of aiconfigurator count elements and times milliseconds", "[collectives]") {
  const Read read(
      "device\top_name\tnccl_dtype\tnum_gpus\tmessage_size\tlatency\n"
      "NVIDIA H100\tall_gather\thalf\t8\t256\t0.01\nNVIDIA H100\tall_gather\thalf\t8\t512\t0.02\n"
      "NVIDIA H100\tall_reduce\tint8\t8\t512\t0.03\n",
      "nccl_h100_sxm_2.29.2.tsv");
  REQUIRE(read.series.size() == 2);
  CHECK(read.series[0].rows[0].bytes == 512);
  CHECK(read.series[0].rows[1].bytes == 1024);
  CHECK(read.series[0].stated.nccl_version == "2.29.2");
  CHECK(read.seconds(0, CollectiveOp::all_gather, 8) == Approx(10e-6));
  // A byte is an element of int8.
  CHECK(read.series[1].rows[0].bytes == 512);
  CHECK(read.series[1].stated.dtype == "int8");
  CHECK(read.series[0].name != read.series[1].name);
}

TEST_CASE("GPU and number of a vTrain table stand in its source line", "[collectives]") {
  const Read read(
      "# source: VIA-Research/vTrain trace/v100/AR_GPU4 (MIT); 4 GPUs of one node\n"
      "size_bytes,count,dtype,time_ns,busbw_gbps,time_inplace_ns,busbw_inplace_gbps\n"
      "1048576,262144,float,67260,23.38,65780,23.91\n",
      "any.csv");
  REQUIRE(read.series.size() == 1);
  CHECK(read.series[0].stated.gpu == "v100");
  CHECK(read.series[0].stated.gpus_per_node == 4);
  CHECK(read.seconds(0, CollectiveOp::all_reduce, 4) == Approx(67.26e-6));
}

TEST_CASE("a table of two transports is two runs, sockets the faulty one", "[collectives]") {
  const Read read(
      "transport\tbytes\ttime_us_oop\tbusbw_oop\ttime_us_ip\n"
      "libfabric_cxi\t8\t17.9\t0\t17.7\ntcp_sockets\t8\t85\t0\t80\n",
      "any.tsv");
  REQUIRE(read.series.size() == 2);
  CHECK(read.series[0].stated.healthy == "yes");
  CHECK(read.series[1].stated.healthy == "no");
  CHECK(read.series[1].stated.gpus_per_node == 4);
}

TEST_CASE("facts in columns make a run for each of their values", "[collectives]") {
  const Read read(
      "# gpu: H100\n# source: here\nnodes,gpus_per_node,collective,size_bytes,time_us\n"
      "2,8,all_reduce,8,30\n2,8,all_reduce,16,30\n4,8,all_reduce,8,40\n1,8,all_reduce,x,9\n",
      "mine.csv");
  REQUIRE(read.series.size() == 2);
  CHECK(read.series[0].name == "mine: 2x8");
  CHECK(read.series[0].rows.size() == 2);
  CHECK(read.series[1].stated.nodes == 4);
  CHECK(read.series[1].rows[0].line == 6);
  REQUIRE(read.gaps.size() == 1);
  CHECK(read.gaps[0].line == 7);
}

TEST_CASE("a table without sizes is no table of collectives", "[collectives]") {
  CHECK_FALSE(Read("model,step_time_s\nbert,1\n", "t.csv").known);
}
