#pragma once
// How ranks are laid out over the dimensions of parallelism, and the groups that follow.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/workload/program.h"

namespace dsim {

/// Dimensions in which a job is cut. Expert ranks lie inside data x context ranks: they take no GPUs
/// of their own.
enum class Dimension : std::uint8_t { tensor, context, expert, data, pipeline };

/// The degrees of parallelism. tensor x context x data x pipeline = ranks.
struct Parallelism {
  std::uint32_t tensor = 1;
  std::uint32_t context = 1;
  std::uint32_t expert = 1;
  std::uint32_t expert_tensor = 0;  ///< 0 = as tensor
  std::uint32_t pipeline = 1;
  std::uint32_t chunks = 1;  ///< model chunks a pipeline rank holds (virtual pipeline size)
  std::uint32_t data = 0;    ///< 0 = what is left
  bool sequence = false;     ///< sequence parallel beside tensor parallel
  /// Fastest first, Megatron's words: "tp-cp-ep-dp-pp".
  std::string order = "tp-cp-ep-dp-pp";
};

/// Coordinates of a rank.
struct RankPlace {
  std::uint32_t tensor = 0, context = 0, data = 0, pipeline = 0;
};

/// Ranks of a job in their places.
class RankGrid {
 public:
  /// Fills in `data`. InputError names the rule that is broken: a product that does not divide the
  /// ranks, an order that is no permutation of the five dimensions, expert x expert tensor ranks
  /// that do not divide tensor x context x data.
  RankGrid(Parallelism parallelism, std::uint32_t ranks);

  const Parallelism& parallelism() const { return parallelism_; }
  std::uint32_t ranks() const { return ranks_; }
  RankPlace place(std::uint32_t rank) const;
  std::uint32_t rank(const RankPlace& place) const;

  /// Ranks of a pipeline stage, rising.
  std::vector<std::uint32_t> stage(std::uint32_t pipeline) const;
  /// Groups within a stage whose members differ in the given coordinate only.
  GroupFamily tensor_groups(std::uint32_t stage) const;
  GroupFamily context_groups(std::uint32_t stage) const;
  /// Ranks that share a replica of the dense parameters: data x context.
  GroupFamily data_groups(std::uint32_t stage) const;
  GroupFamily expert_groups(std::uint32_t stage) const;
  GroupFamily expert_tensor_groups(std::uint32_t stage) const;
  /// Ranks that hold the same experts.
  GroupFamily expert_data_groups(std::uint32_t stage) const;
  /// Pairs (rank of stage `from`, rank in the same place of stage `to`).
  GroupFamily pipeline_pairs(std::uint32_t from, std::uint32_t to) const;
  /// First and last stage, pairwise, that share tied embeddings.
  GroupFamily embedding_pairs() const;
  /// Data groups cut for hybrid sharding: `size` consecutive members shard, the ranks in the same
  /// place of different shards replicate. InputError: size does not divide.
  GroupFamily shard_groups(std::uint32_t stage, std::uint32_t size) const;
  GroupFamily replica_groups(std::uint32_t stage, std::uint32_t size) const;

 private:
  Parallelism parallelism_;
  std::uint32_t ranks_;
  std::array<std::uint32_t, 4> stride_{};  ///< of tensor, context, data, pipeline
};

}  // namespace dsim
