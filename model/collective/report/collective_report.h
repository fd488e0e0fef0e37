#pragma once
// A sweep over sizes as plain data: what was asked, what was found, row by row.
#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "model/collective/predictor.h"

namespace dsim {

/// One size of the sweep.
struct CollectivePoint {
  Bytes size;              ///< what moves: `size` of the query in whole elements
  std::int64_t count = 0;  ///< elements, as nccl-tests prints them
  CollectivePrediction prediction;
  std::vector<double> beside;  ///< seconds with the others at work: this one, then each of those
};

/// A collective that runs at the same time, again and again like an own job.
struct BesideReport {
  std::string title;  ///< "all_gather of 1 GiB on ranks 0-7"
  double alone = 0;   ///< seconds
};

/// What `dsim collective` prints.
struct CollectiveReport {
  CollectiveOp op = CollectiveOp::all_reduce;
  DataType type = DataType::float32;
  std::uint32_t root = 0;

  std::string topology;  ///< its one line
  std::string gpu;       ///< title of the GPU
  std::uint32_t ranks = 0, nodes = 0;
  std::string rank_list;                ///< "0-56:8"; "" = all GPUs of the topology
  std::string backend;                  ///< "nccl"
  std::string version;                  ///< of NCCL; "" for others
  int channels = 0, nvls_channels = 0;  ///< NCCL's
  std::string fidelity, routing;
  std::vector<std::string> forced;  ///< "algorithm tree", "NCCL_PROTO=LL"

  std::vector<CollectivePoint> points;
  std::vector<BesideReport> beside;
  std::array<std::size_t, 4> inputs{};  ///< constants by Level
  std::vector<std::string> assumed;     ///< names of those that are assumed
  std::vector<std::string> notices;     ///< each once
};

/// How the rows came about; the report is complete but for `beside` and `forced`. Sizes of which
/// nothing is left in whole elements are left out and said.
CollectiveReport run_sweep(CollectivePredictor& predictor, const CollectiveQuery& query,
                           const std::vector<Bytes>& sizes,
                           const std::function<void(double)>& progress = {});

/// Columns redop and root of nccl-tests: "sum" or "none", -1 where there is no root.
std::string_view redop_of(CollectiveOp op);
bool has_root(CollectiveOp op);

/// Mean of the rows' busbw, GB/s, as nccl-tests forms it.
double average_busbw(const CollectiveReport& report);

}  // namespace dsim
