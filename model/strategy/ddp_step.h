#pragma once
#include <string>
#include <vector>

#include "model/strategy/ddp.h"
#include "model/strategy/kernel_tasks.h"

namespace dsim {

/// Writes the program of one data-parallel rank: a whole optimizer step in the order in which the
/// host issues it. Collectives are appended to `workload`, all on its first family. Event model:
/// pytorch torch/csrc/distributed/c10d/reducer.cpp and torch/nn/parallel/distributed.py.
class DdpStep {
 public:
  DdpStep(const DdpRequest& request, Workload& workload);
  Program write();

 private:
  void micro_batch(std::int64_t index, bool reduce);
  void copy_input(double seconds);
  void wait_for_input();
  void broadcast_buffers();
  void broadcast(const std::vector<std::int64_t>& buffers, std::int64_t element_bytes,
                 const char* what);
  void forward();
  void backward(bool accumulate, bool reduce);
  void gradient_ready(ParameterId parameter);
  void reduce(std::int32_t bucket);
  void finish_reduction();
  void repeat(std::int64_t count, TaskId from);
  void optimizer();

  bool distributed() const { return request_.ranks > 1; }
  bool on_host() const { return request_.backend != CallBackend::nccl; }
  bool compressed() const { return request_.options.compression != Compression::none; }
  double gradient_bytes(ParameterId parameter) const;
  /// Adds a task; `host_seconds` and `host_work_` are what the host spends to issue it. On the
  /// compute stream it also takes over `waits_`.
  TaskId issue(Task task, const std::string& name, double host_seconds);
  TaskId issue_collective(const CollectiveCall& call, Phase phase, const std::string& name,
                          TaskId after);
  /// A CPU back end: the bucket goes through host memory.
  TaskId issue_on_host(CollectiveCall call, Phase phase, const std::string& name, TaskId after);

  const DdpRequest& request_;
  const Model& model_;
  const HostConstants& host_;
  Workload& workload_;
  Program program_;
  KernelTasks kernels_;

  std::vector<Bucket> buckets_;
  std::vector<std::int32_t> bucket_of_;  ///< by parameter
  std::vector<std::size_t> pending_;     ///< by bucket: gradients still missing
  std::vector<TaskId> reduced_;          ///< by bucket: task whose end means the bucket is reduced
  std::uint8_t decompression_stream_ = 0;  ///< only there with compression
  std::int32_t next_bucket_ = 0;           ///< buckets start strictly in index order
  std::size_t calls_ = 0;                  ///< of a CPU back end: its threads take turns

  double host_work_ = 0;       ///< host time spent since the last task, billed to the next
  std::vector<TaskId> waits_;  ///< what the next task on the compute stream waits for
  TaskId last_compute_;
  TaskId input_;  ///< copy of the next micro-batch
};

}  // namespace dsim
