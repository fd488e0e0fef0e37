#pragma once
// What was measured, as plain data: tables of collectives with what their source says of the
// machine.
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dsim {

/// One size of a measured collective. Sizes follow nccl-tests: the whole vector. What the source
/// does not say is empty.
struct MeasuredRow {
  std::int64_t size_bytes = 0;
  std::optional<std::int64_t> count;
  std::string type, redop;  ///< as printed: "float", "sum"
  std::optional<std::int64_t> root;
  std::optional<double> time_us, algbw_gbps, busbw_gbps;  ///< out of place; GB/s = 1e9 B/s
  std::optional<double> in_place_time_us, in_place_algbw_gbps, in_place_busbw_gbps;
  std::optional<std::int64_t> wrong;  ///< elements with a wrong result, out of place
  int line = 0;                       ///< of the file, from 1
};

/// What NCCL said it would do with a call (NCCL_DEBUG=INFO with the subsystem COLL or TUNING).
struct MeasuredChoice {
  std::string operation;  ///< "AllReduce"
  std::int64_t size_bytes = 0;
  std::string algorithm, protocol;  ///< as printed: "RING" or a number
};

/// What a table's source says of the run.
struct MeasuredFacts {
  std::string collective;     ///< by our names: "all_reduce"; "" = not known
  std::string nccl_version;   ///< "2.26.2"
  std::string tests_version;  ///< of nccl-tests
  std::string gpu;            ///< name that the driver gives: "NVIDIA H100 80GB HBM3"
  std::string network;        ///< of "Using network": "IB", "Socket", "AWS Libfabric"
  std::optional<std::int64_t> ranks, nodes, gpus_per_node;
  std::vector<std::string> hosts;  ///< in order of appearance
  std::optional<std::int64_t> threads, gpus_per_process, warmup_iterations, iterations;
  std::optional<std::int64_t> coll_channels, nvls_channels, p2p_channels;
  std::vector<std::pair<std::string, std::string>> environment;  ///< NCCL_* and their values
  std::vector<MeasuredChoice> choices;
  std::optional<double> average_busbw_gbps;
  std::optional<std::int64_t> out_of_bounds;                 ///< results that were wrong
  std::vector<std::pair<std::string, std::string>> remarks;  ///< other "key: value" lines
};

/// A measured table.
struct MeasuredTable {
  std::string source;  ///< file name
  int line = 0;        ///< where the table begins
  MeasuredFacts facts;
  std::vector<MeasuredRow> rows;
  std::vector<std::string> notices;  ///< what was left out and why, what was inferred
};

}  // namespace dsim
