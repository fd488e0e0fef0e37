#pragma once
#include <string>
#include <vector>

#include "model/strategy/gradient_exchange.h"
#include "model/strategy/step_writer.h"

namespace dsim {

/// Layers whose gradients are reduced together, and who holds them too.
struct GradientOwner {
  LayerRange layers;
  FamilyId dense, expert;  ///< who shares the dense and the expert parameters; invalid = nobody
  double dense_ranks = 1, expert_ranks = 1;  ///< members of a group of these
  std::string key;  ///< where programs of several stages meet; empty = all ranks run one program
  double copied_elements = 0;  ///< of a tied embedding that another part registers
};

/// Adds the exchange of gradients, the optimizer step and the return of parameters to a program.
class GradientWriter {
 public:
  GradientWriter(StepWriter& writer, const GradientExchange& exchange,
                 std::vector<GradientOwner> owners);

  /// Clears main gradients and, if it overlaps, starts to gather parameters in forward order.
  void begin_step();
  /// Waits for the parameters of a layer; only the first micro-batch has to.
  void before_forward(std::size_t layer);
  /// A gradient of the last micro-batch is there.
  void gradient_ready(ParameterId parameter);
  /// Reduces what is left and waits for all of it.
  void finish();
  /// The sum of a tied embedding's gradients over the stages that hold it.
  void tied_embedding(FamilyId pairs, double elements);
  /// Gradients of parameters that every tensor-parallel rank holds whole, but computes on its part
  /// of the sequence.
  void sequence_parallel_norms();
  /// Norm and clipping, optimizer step, return of parameters. `model_parallel`: ranks hold
  /// different parameters.
  void update(bool model_parallel);

  double local_elements() const;  ///< parameters this rank computes gradients of
  double owned_elements() const;  ///< parameters it updates
  const GradientExchange& exchange() const { return exchange_; }

 private:
  struct Bucket {
    std::vector<ParameterId> parameters;
    double elements = 0;
    bool expert = false;
    std::size_t owner = 0;
    std::size_t missing = 0;  ///< gradients that have not come
    TaskId reduced, gathered;
    bool started = false;
  };

  void fill(std::size_t owner, bool expert);
  void reduce(std::size_t bucket);
  TaskId gather(std::size_t bucket, Phase phase);
  CollectiveCall call(const Bucket& bucket, CollectiveOp op, double element_bytes) const;
  CollectivePlace place(std::size_t bucket, Phase phase, const char* what);

  StepWriter& writer_;
  GradientExchange exchange_;
  std::vector<GradientOwner> owners_;
  std::vector<Bucket> buckets_;
  std::vector<std::int32_t> bucket_of_;  ///< by parameter
};

}  // namespace dsim
