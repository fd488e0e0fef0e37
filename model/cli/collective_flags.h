#pragma once
#include <memory>
#include <string>
#include <vector>

#include "calibrate/sample.h"
#include "model/collective/predictor.h"

namespace CLI {
class App;
}

namespace dsim {

/// What `dsim collective` shall simulate.
struct CollectiveRequestSet {
  CollectiveSetup setup;
  CollectiveQuery query;  ///< its size is not set
  std::vector<Bytes> sizes;
  std::vector<std::string> forced;  ///< in words, for the heading
};

/// The flags that say what is simulated. What is not given comes from the measured table that is
/// compared with, if there is one: operation, ranks, type, root, sizes, version.
class CollectiveFlags {
 public:
  explicit CollectiveFlags(CLI::App& command);
  CollectiveFlags(const CollectiveFlags&) = delete;  // the command line holds pointers to members
  CollectiveFlags& operator=(const CollectiveFlags&) = delete;

  /// The operation asked for; "" = not given.
  const std::string& operation() const { return op_; }
  /// InputError.
  CollectiveRequestSet request(const std::vector<MeasuredTable>& measured) const;

 private:
  void set_ranks(CollectiveSetup& setup, const MeasuredTable* measured) const;
  void set_query(CollectiveRequestSet& request, const MeasuredTable* measured) const;
  void set_network(CollectiveRequestSet& request, const MeasuredTable* measured) const;

  std::string topology_, op_, sizes_, type_, root_, ranks_, gpus_, nodes_;
  std::string backend_ = "nccl", algorithm_, program_, protocol_, channels_, version_,
              fidelity_ = "fluid", routing_;
  std::vector<std::string> nccl_;
};

/// Registry name of an algorithm in anyone's spelling: "NVLSTree" is "nvls_tree". InputError lists
/// the known ones, or those that can do the operation.
std::string algorithm_for(std::string_view name, CollectiveOp op);

}  // namespace dsim
