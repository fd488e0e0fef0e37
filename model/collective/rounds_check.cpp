#include "model/collective/rounds_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <vector>

namespace dsim {

std::uint32_t owner_of(const RoundProgram& program, std::uint32_t ranks, std::uint32_t block) {
  if (!program.owners.empty()) return program.owners[block];
  return static_cast<std::uint32_t>(std::uint64_t{block} * ranks / program.blocks);
}

double share_of(const RoundProgram& program, const Transfer& transfer) {
  if (program.block_shares.empty())
    return static_cast<double>(transfer.block_count) / program.blocks;
  double share = 0;
  for (std::uint32_t i = 0; i < transfer.block_count; ++i)
    share += program.block_shares[(std::uint64_t{transfer.first_block} + i) % program.blocks];
  return share;
}

namespace {

// Which ranks' parts are in each block of each rank.
class Contents {
 public:
  Contents(std::uint32_t ranks, std::uint32_t blocks)
      : words_((ranks + 63) / 64), blocks_(blocks), bits_(std::size_t{ranks} * blocks * words_) {}

  std::uint64_t* at(std::uint32_t rank, std::uint32_t block) {
    return &bits_[(std::size_t{rank} * blocks_ + block) * words_];
  }
  void put(std::uint32_t rank, std::uint32_t block, std::uint32_t part) {
    at(rank, block)[part / 64] |= std::uint64_t{1} << part % 64;
  }
  std::size_t words() const { return words_; }

 private:
  std::size_t words_, blocks_;
  std::vector<std::uint64_t> bits_;
};

// The single part that belongs into a block at a rank, or `everyone` or `nobody`.
constexpr std::uint32_t everyone_s = 0xffffffffu, nobody_s = 0xfffffffeu;

class Play {
 public:
  Play(const RoundProgram& program, CollectiveOp op, std::uint32_t ranks, std::uint32_t root)
      : program_(program), op_(op), n_(ranks), root_(root), now_(ranks, program.blocks) {}

  std::string run() {
    if (const std::string fault = phases_fault(); !fault.empty()) return fault;
    for (std::uint32_t rank = 0; rank < n_; ++rank)
      for (std::uint32_t block = 0; block < program_.blocks; ++block)
        if (begins_with(rank, block)) now_.put(rank, block, rank);
    std::vector<Transfer> transfers;
    for (std::uint32_t round = 0; round < program_.rounds; ++round) {
      program_.transfers(round, transfers);
      if (const std::string fault = play(round, transfers); !fault.empty()) return fault;
    }
    return end_fault();
  }

 private:
  std::string phases_fault() const {
    std::uint32_t next = 0;
    for (const RoundPhase& phase : program_.phases) {
      if (phase.first_round != next || phase.rounds == 0)
        return fmt::format("its phases do not cover round {}", next);
      next += phase.rounds;
    }
    return next == program_.rounds ? "" : fmt::format("its phases do not cover round {}", next);
  }

  // all_to_all in n^2 blocks: from rank block / n to rank block % n.
  bool by_pair() const { return program_.blocks == n_ * n_ && n_ > 1; }

  bool begins_with(std::uint32_t rank, std::uint32_t block) const {
    switch (op_) {
      case CollectiveOp::all_gather:
      case CollectiveOp::gather:
        return owner_of(program_, n_, block) == rank;
      case CollectiveOp::broadcast:
      case CollectiveOp::scatter:
        return rank == root_;
      case CollectiveOp::all_to_all:
        return !by_pair() || block / n_ == rank;
      default:
        return true;
    }
  }

  // What must be in a block at the end.
  std::uint32_t ends_with(std::uint32_t rank, std::uint32_t block) const {
    switch (op_) {
      case CollectiveOp::all_reduce:
      case CollectiveOp::barrier:
        return everyone_s;
      case CollectiveOp::all_gather:
        return owner_of(program_, n_, block);
      case CollectiveOp::reduce_scatter:
        return owner_of(program_, n_, block) == rank ? everyone_s : nobody_s;
      case CollectiveOp::broadcast:
        return root_;
      case CollectiveOp::reduce:
        return rank == root_ ? everyone_s : nobody_s;
      case CollectiveOp::gather:
        return rank == root_ ? owner_of(program_, n_, block) : nobody_s;
      case CollectiveOp::scatter:
        return owner_of(program_, n_, block) == rank ? root_ : nobody_s;
      case CollectiveOp::sendrecv:
        return (rank + n_ - 1) % n_;
      case CollectiveOp::all_to_all:
        if (!by_pair()) return (rank + n_ - block % n_) % n_;
        if (!program_.block_shares.empty() && program_.block_shares[block] == 0) return nobody_s;
        return block % n_ == rank ? block / n_ : nobody_s;
    }
    return nobody_s;
  }

  std::string play(std::uint32_t round, const std::vector<Transfer>& transfers) {
    const std::size_t words = now_.words();
    message_.clear();
    for (const Transfer& t : transfers) {
      if (t.from >= n_ || t.to >= n_)
        return fmt::format("round {}: there is no rank {}", round, std::max(t.from, t.to));
      if (t.block_count == 0 || t.block_count > program_.blocks || t.first_block >= program_.blocks)
        return fmt::format("round {}: rank {} sends blocks that do not exist", round, t.from);
      for (std::uint32_t i = 0; i < t.block_count; ++i) {
        const std::uint64_t* from = now_.at(t.from, block_of(t, i));
        if (std::all_of(from, from + words, [](std::uint64_t w) { return w == 0; }))
          return fmt::format("rank {}, block {}: sent to rank {} before it is there (round {})",
                             t.from, block_of(t, i), t.to, round);
        message_.insert(message_.end(), from, from + words);
      }
    }
    // Kept blocks replace what was there before anything is added.
    kept_.clear();
    for (const bool reduce : {false, true}) {
      const std::uint64_t* message = message_.data();
      for (const Transfer& t : transfers)
        for (std::uint32_t i = 0; i < t.block_count; ++i, message += words) {
          if (t.from == t.to || t.reduce != reduce) continue;
          std::uint64_t* mine = now_.at(t.to, block_of(t, i));
          if (!reduce) {
            kept_.push_back(std::uint64_t{t.to} * program_.blocks + block_of(t, i));
            std::copy(message, message + words, mine);
            continue;
          }
          for (std::size_t w = 0; w < words; ++w) {
            if (const std::uint64_t twice = mine[w] & message[w];
                twice != 0 && op_ != CollectiveOp::barrier)
              return fmt::format("rank {}, block {}: the part of rank {} is added twice (round {})",
                                 t.to, block_of(t, i), first_bit(twice, w), round);
            mine[w] |= message[w];
          }
        }
    }
    std::sort(kept_.begin(), kept_.end());
    if (const auto twice = std::adjacent_find(kept_.begin(), kept_.end()); twice != kept_.end())
      return fmt::format("rank {}, block {}: two messages replace it at once (round {})",
                         *twice / program_.blocks, *twice % program_.blocks, round);
    return "";
  }

  std::string end_fault() {
    for (std::uint32_t rank = 0; rank < n_; ++rank)
      for (std::uint32_t block = 0; block < program_.blocks; ++block) {
        const std::uint32_t wanted = ends_with(rank, block);
        if (wanted == nobody_s) continue;
        const std::uint64_t* mine = now_.at(rank, block);
        for (std::uint32_t part = 0; part < n_; ++part) {
          const bool is = mine[part / 64] >> part % 64 & 1;
          const bool should = wanted == everyone_s || wanted == part;
          if (is == should) continue;
          return fmt::format("rank {}, block {}: the part of rank {} {} at the end", rank, block,
                             part, is ? "does not belong there but is there" : "is missing");
        }
      }
    return "";
  }

  std::uint32_t block_of(const Transfer& t, std::uint32_t i) const {
    return static_cast<std::uint32_t>((std::uint64_t{t.first_block} + i) % program_.blocks);
  }
  static std::uint32_t first_bit(std::uint64_t word, std::size_t index) {
    return static_cast<std::uint32_t>(64 * index) +
           static_cast<std::uint32_t>(std::countr_zero(word));
  }

  const RoundProgram& program_;
  CollectiveOp op_;
  std::uint32_t n_, root_;
  Contents now_;
  std::vector<std::uint64_t> message_, kept_;
};

}  // namespace

std::string first_fault(const RoundProgram& program, CollectiveOp op, std::uint32_t ranks,
                        std::uint32_t root) {
  return Play(program, op, ranks, root).run();
}

}  // namespace dsim
