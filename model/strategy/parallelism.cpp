#include "model/strategy/parallelism.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/base/error.h"
#include "sim/base/spelling.h"

namespace dsim {
namespace {

constexpr std::array<std::string_view, 5> dimension_names{"tp", "cp", "ep", "dp", "pp"};

Dimension dimension_from(std::string_view word) {
  for (std::size_t i = 0; i < dimension_names.size(); ++i)
    if (dimension_names[i] == word) return static_cast<Dimension>(i);
  throw InputError(unknown_name("dimension in the order of ranks", word, dimension_names));
}

std::uint32_t degree(const Parallelism& p, Dimension dimension) {
  switch (dimension) {
    case Dimension::tensor:
      return p.tensor;
    case Dimension::context:
      return p.context;
    case Dimension::expert:
      return p.expert;
    case Dimension::data:
      return p.data;
    case Dimension::pipeline:
      return p.pipeline;
  }
  return 1;
}

/// The dimensions of an order, fastest first. Dimensions of degree 1 may be left out.
std::vector<Dimension> parse_order(const Parallelism& parallelism) {
  std::vector<Dimension> order;
  std::string_view rest = parallelism.order;
  while (true) {
    const std::size_t end = std::min(rest.find('-'), rest.size());
    const Dimension dimension = dimension_from(rest.substr(0, end));
    if (std::find(order.begin(), order.end(), dimension) != order.end())
      throw InputError(fmt::format("the order of ranks '{}' names '{}' twice", parallelism.order,
                                   rest.substr(0, end)));
    order.push_back(dimension);
    if (end == rest.size()) break;
    rest.remove_prefix(end + 1);
  }
  for (std::size_t i = 0; i < dimension_names.size(); ++i) {
    const auto dimension = static_cast<Dimension>(i);
    if (std::find(order.begin(), order.end(), dimension) != order.end()) continue;
    if (degree(parallelism, dimension) > 1)
      throw InputError(fmt::format(
          "the order of ranks '{}' lacks '{}': it must be a permutation of tp, cp, ep, dp and pp",
          parallelism.order, dimension_names[i]));
    order.push_back(dimension);
  }
  return order;
}

std::string family_name(std::string_view what, std::uint32_t stage, std::uint32_t stages) {
  return stages == 1 ? std::string(what) : fmt::format("{} of stage {}", what, stage);
}

/// Cuts `members` into groups of the indices that differ in one digit only, whose place value is
/// `stride` and which counts to `size`.
std::vector<std::vector<std::uint32_t>> digit_groups(const std::vector<std::uint32_t>& members,
                                                     std::size_t stride, std::size_t size) {
  std::vector<std::vector<std::uint32_t>> groups;
  groups.reserve(members.size() / size);
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (i / stride % size != 0) continue;
    auto& group = groups.emplace_back();
    for (std::size_t k = 0; k < size; ++k) group.push_back(members[i + k * stride]);
  }
  return groups;
}

/// Place values of expert tensor, expert and expert data ranks among the ranks of a stage.
struct ExpertDigits {
  std::size_t tensor_stride = 1, tensor = 1, expert_stride = 1, expert = 1, data_stride = 1,
              data = 1;
};

ExpertDigits expert_digits(const Parallelism& p) {
  ExpertDigits digits;
  digits.tensor = p.expert_tensor;
  digits.expert = p.expert;
  digits.data = std::size_t{p.tensor} * p.context * p.data / (digits.tensor * digits.expert);
  std::size_t stride = 1;
  for (const Dimension dimension : parse_order(p)) {
    if (dimension == Dimension::tensor) {
      digits.tensor_stride = stride;
      stride *= digits.tensor;
    } else if (dimension == Dimension::expert) {
      digits.expert_stride = stride;
      stride *= digits.expert;
    } else if (dimension == Dimension::data) {
      digits.data_stride = stride;
      stride *= digits.data;
    }
  }
  return digits;
}

}  // namespace

RankGrid::RankGrid(Parallelism parallelism, std::uint32_t ranks)
    : parallelism_(std::move(parallelism)), ranks_(ranks) {
  Parallelism& p = parallelism_;
  if (ranks == 0) throw InputError("a job needs at least one rank");
  const std::pair<std::string_view, std::uint32_t> degrees[] = {{"tensor", p.tensor},
                                                                {"context", p.context},
                                                                {"expert", p.expert},
                                                                {"pipeline", p.pipeline},
                                                                {"virtual pipeline", p.chunks}};
  for (const auto& [name, value] : degrees)
    if (value == 0) throw InputError(fmt::format("{}-parallel size must be at least 1", name));
  if (p.expert_tensor == 0) p.expert_tensor = p.tensor;

  const std::uint64_t model = std::uint64_t{p.tensor} * p.context * p.pipeline;
  if (ranks % model != 0)
    throw InputError(fmt::format(
        "tensor {} x context {} x pipeline {} = {} does not divide the {} ranks of the job",
        p.tensor, p.context, p.pipeline, model, ranks));
  const auto left = static_cast<std::uint32_t>(ranks / model);
  if (p.data == 0) p.data = left;
  if (p.data != left)
    throw InputError(
        fmt::format("tensor {} x context {} x data {} x pipeline {} = {}, but the job has {} ranks",
                    p.tensor, p.context, p.data, p.pipeline, model * p.data, ranks));
  const std::uint64_t stage_ranks = ranks / p.pipeline;
  const std::uint64_t experts = std::uint64_t{p.expert} * p.expert_tensor;
  if (stage_ranks % experts != 0)
    throw InputError(fmt::format(
        "expert {} x expert tensor {} = {} does not divide tensor {} x context {} x data {} = {}",
        p.expert, p.expert_tensor, experts, p.tensor, p.context, p.data, stage_ranks));

  std::uint32_t stride = 1;
  for (const Dimension dimension : parse_order(p)) {
    if (dimension == Dimension::expert) continue;
    const std::size_t index = dimension == Dimension::tensor    ? 0
                              : dimension == Dimension::context ? 1
                              : dimension == Dimension::data    ? 2
                                                                : 3;
    stride_[index] = stride;
    stride *= degree(p, dimension);
  }
}

RankPlace RankGrid::place(std::uint32_t rank) const {
  require(rank < ranks_, "a rank of the job");
  return {rank / stride_[0] % parallelism_.tensor, rank / stride_[1] % parallelism_.context,
          rank / stride_[2] % parallelism_.data, rank / stride_[3] % parallelism_.pipeline};
}

std::uint32_t RankGrid::rank(const RankPlace& place) const {
  return place.tensor * stride_[0] + place.context * stride_[1] + place.data * stride_[2] +
         place.pipeline * stride_[3];
}

std::vector<std::uint32_t> RankGrid::stage(std::uint32_t pipeline) const {
  require(pipeline < parallelism_.pipeline, "a stage of the pipeline");
  std::vector<std::uint32_t> members;
  members.reserve(ranks_ / parallelism_.pipeline);
  for (std::uint32_t rank = 0; rank < ranks_; ++rank)
    if (rank / stride_[3] % parallelism_.pipeline == pipeline) members.push_back(rank);
  return members;
}

namespace {

/// Groups of ranks of a stage whose places agree where `key` looks.
template <class Key>
std::vector<std::vector<std::uint32_t>> groups_by(const RankGrid& grid, std::uint32_t stage,
                                                  std::size_t groups, Key key) {
  std::vector<std::vector<std::uint32_t>> result(groups);
  for (const std::uint32_t rank : grid.stage(stage)) result[key(grid.place(rank))].push_back(rank);
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace

GroupFamily RankGrid::tensor_groups(std::uint32_t stage) const {
  const Parallelism& p = parallelism_;
  return {family_name("tensor", stage, p.pipeline),
          groups_by(*this, stage, std::size_t{p.context} * p.data, [&p](const RankPlace& place) {
            return std::size_t{place.data} * p.context + place.context;
          })};
}

GroupFamily RankGrid::context_groups(std::uint32_t stage) const {
  const Parallelism& p = parallelism_;
  return {family_name("context", stage, p.pipeline),
          groups_by(*this, stage, std::size_t{p.tensor} * p.data, [&p](const RankPlace& place) {
            return std::size_t{place.data} * p.tensor + place.tensor;
          })};
}

GroupFamily RankGrid::data_groups(std::uint32_t stage) const {
  return {family_name("data", stage, parallelism_.pipeline),
          groups_by(*this, stage, parallelism_.tensor,
                    [](const RankPlace& place) { return std::size_t{place.tensor}; })};
}

GroupFamily RankGrid::expert_groups(std::uint32_t stage) const {
  const ExpertDigits digits = expert_digits(parallelism_);
  return {family_name("expert", stage, parallelism_.pipeline),
          digit_groups(this->stage(stage), digits.expert_stride, digits.expert)};
}

GroupFamily RankGrid::expert_tensor_groups(std::uint32_t stage) const {
  const ExpertDigits digits = expert_digits(parallelism_);
  return {family_name("expert tensor", stage, parallelism_.pipeline),
          digit_groups(this->stage(stage), digits.tensor_stride, digits.tensor)};
}

GroupFamily RankGrid::expert_data_groups(std::uint32_t stage) const {
  const ExpertDigits digits = expert_digits(parallelism_);
  return {family_name("expert data", stage, parallelism_.pipeline),
          digit_groups(this->stage(stage), digits.data_stride, digits.data)};
}

GroupFamily RankGrid::pipeline_pairs(std::uint32_t from, std::uint32_t to) const {
  GroupFamily family{fmt::format("pipeline {} to {}", from, to), {}};
  const std::vector<std::uint32_t> senders = stage(from), receivers = stage(to);
  for (std::size_t i = 0; i < senders.size(); ++i)
    family.groups.push_back({senders[i], receivers[i]});
  return family;
}

GroupFamily RankGrid::embedding_pairs() const {
  if (parallelism_.pipeline == 1) return {"embedding", {}};
  GroupFamily family = pipeline_pairs(0, parallelism_.pipeline - 1);
  family.name = "embedding";
  return family;
}

GroupFamily RankGrid::shard_groups(std::uint32_t stage, std::uint32_t size) const {
  GroupFamily family{family_name("shard", stage, parallelism_.pipeline), {}};
  for (const auto& group : data_groups(stage).groups) {
    const std::uint32_t members = size == 0 ? static_cast<std::uint32_t>(group.size()) : size;
    if (group.size() % members != 0)
      throw InputError(fmt::format("shards over {} ranks do not divide {} data-parallel ranks",
                                   members, group.size()));
    for (auto& shard : digit_groups(group, 1, members)) family.groups.push_back(std::move(shard));
  }
  return family;
}

GroupFamily RankGrid::replica_groups(std::uint32_t stage, std::uint32_t size) const {
  GroupFamily family{family_name("replica", stage, parallelism_.pipeline), {}};
  for (const auto& group : data_groups(stage).groups) {
    const std::size_t members = size == 0 ? group.size() : size;
    if (group.size() % members != 0)
      throw InputError(fmt::format("shards over {} ranks do not divide {} data-parallel ranks",
                                   members, group.size()));
    for (auto& replicas : digit_groups(group, members, group.size() / members))
      family.groups.push_back(std::move(replicas));
  }
  return family;
}

}  // namespace dsim
