#include "model/collective/host_choice.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <charconv>

#include "model/collective/open_mpi_rules.h"
#include "sim/base/error.h"

namespace dsim {

namespace {

using Op = CollectiveOp;

// Open MPI's number of an algorithm, as the registry has it.
struct Named {
  std::string_view algorithm;
  std::string_view reason;
  bool assumed = false;  // the nearest of the registry, not the same
};

constexpr std::string_view tuned = "coll/tuned, fixed decision by size and ranks";
constexpr std::string_view near_tree = "coll/tuned: another tree; a binomial one stands for it";
constexpr std::string_view near_pipeline = "coll/tuned: chain or pipeline; a ring stands for it";
constexpr std::string_view near_scatter =
    "coll/tuned: scatter and all-gather; a binomial tree stands for it";
constexpr std::string_view near_sync =
    "coll/tuned: linear with bounded requests; direct stands for it";
constexpr std::string_view near_butterfly =
    "coll/tuned: butterfly; recursive halving stands for it";
constexpr std::string_view near_neighbor = "coll/tuned: neighbour exchange; a ring stands for it";
constexpr std::string_view near_rabenseifner =
    "coll/tuned: Rabenseifner's reduce; a binomial tree stands for it";

Named all_reduce_name(int number) {
  constexpr std::string_view names[] = {"linear", "nonoverlapping", "recursive_doubling",
                                        "ring",   "segmented_ring", "halving_doubling"};
  return {names[number - 1], tuned};
}

Named rooted_name(Op op, int number) {
  // broadcast: linear, chain, pipeline, split binary, binary, binomial, knomial, scatter+allgather
  // (8, 9); reduce: linear, chain, pipeline, binary, binomial, in-order binary, Rabenseifner.
  if (number == 1) return {"linear", tuned};
  if (number <= 3) return {"ring", near_pipeline, true};
  if (number == (op == Op::broadcast ? 6 : 5)) return {"binomial", tuned};
  if (op == Op::broadcast && number >= 8) return {"binomial", near_scatter, true};
  if (op == Op::reduce && number == 7) return {"binomial", near_rabenseifner, true};
  return {"binomial", near_tree, true};
}

Named name_of_number(Op op, int number, std::uint32_t ranks) {
  switch (op) {
    case Op::all_reduce:
      return all_reduce_name(number);
    case Op::all_gather:  // linear, bruck, recursive doubling, ring, neighbour exchange, two ranks
      if (number == 1) return {"linear", tuned};
      // Recursive doubling of other than powers of two falls back to Bruck.
      if (number == 2 || (number == 3 && !std::has_single_bit(ranks))) return {"bruck", tuned};
      if (number == 3) return {"recursive_doubling", tuned};
      // Neighbour exchange of odd numbers of ranks falls back to the ring.
      if (number == 5 && ranks % 2 == 0) return {"ring", near_neighbor, true};
      return {"ring", tuned};
    case Op::reduce_scatter:  // non-overlapping, recursive halving, ring, butterfly
      if (number == 1)
        return {"linear", "coll/tuned: reduce, then scatter; linear stands for it", true};
      if (number == 4) return {"halving_doubling", near_butterfly, true};
      return {number == 2 ? "halving_doubling" : "ring", tuned};
    case Op::all_to_all:  // linear, pairwise, modified Bruck, linear with sync, two ranks
      if (number == 1) return {"direct", tuned};
      if (number == 4) return {"direct", near_sync, true};
      return {number == 3 ? "bruck" : "pairwise", tuned};
    case Op::barrier:  // linear, double ring, recursive doubling, Bruck, two ranks, tree
      if (number == 1) return {"linear", tuned};
      if (number == 6) return {"binomial", tuned};
      return {number == 4 ? "bruck" : "recursive_doubling", tuned};
    case Op::gather:
    case Op::scatter:  // linear, binomial, linear with sync (gather) or non-blocking (scatter)
      if (number == 3) return {"linear", near_sync, true};
      return {number == 1 ? "linear" : "binomial", tuned};
    default:
      return rooted_name(op, number);
  }
}

// The size that the decision looks at: a rank's part for these, the whole vector for others.
std::int64_t decision_bytes(const HostCall& call) {
  switch (call.op) {
    case Op::all_gather:
    case Op::all_to_all:
    case Op::gather:
    case Op::scatter:
      return call.size.count / std::max(1u, call.ranks);
    default:
      return call.size.count;
  }
}

HostChoice from_table(const HostCall& call) {
  const std::int64_t bytes = decision_bytes(call);
  for (const OpenMpiRow& row : open_mpi_rows(call.op)) {
    if (row.ranks != 0 && call.ranks >= row.ranks) continue;
    for (const OpenMpiStep& step : row.steps) {
      if (step.below != 0 && bytes >= step.below) continue;
      const Named named = name_of_number(call.op, step.number, call.ranks);
      return {named.algorithm, {}, named.reason, named.assumed};
    }
  }
  return {"direct", {}, "point to point"};
}

// coll/han (5.0 on): segments of 512 KiB through reduce inside, all-reduce across, broadcast
// inside.
constexpr Bytes han_segment{512 << 10};

bool is_han(const HostCall& call) {
  if (call.nodes < 2 || call.ranks <= call.nodes) return false;
  return call.op == Op::all_reduce || call.op == Op::all_gather || call.op == Op::broadcast ||
         call.op == Op::reduce;
}

HostChoice han(const HostCall& call) {
  if (call.op == Op::all_reduce)
    return {"hierarchical", han_segment, "coll/han: several ranks on each of several nodes"};
  if (call.op == Op::all_gather)
    return {"hierarchical", {}, "coll/han: several ranks on each of several nodes"};
  return {"binomial", han_segment,
          "coll/han: tree across nodes, then inside; one binomial tree stands "
          "for both",
          true};
}

// Before 4.1: thresholds from measurements on one Myrinet cluster (open-mpi/ompi, the same file as
// the tables, 4.0 and older).
HostChoice before_4_1(const HostCall& call) {
  const std::int64_t bytes = call.size.count, ranks = call.ranks;
  const std::int64_t part = bytes / std::max<std::int64_t>(1, ranks);
  const bool power = std::has_single_bit(call.ranks);
  constexpr std::int64_t mebibyte = 1 << 20;
  switch (call.op) {
    case Op::all_reduce:
      if (bytes < 10000) return {"recursive_doubling", {}, "below 10,000 bytes"};
      if (ranks * mebibyte >= bytes) return {"ring", {}, "up to 1 MiB a rank"};
      return {"segmented_ring", Bytes{mebibyte}, "above 1 MiB a rank"};
    case Op::all_to_all:
      if (part < 200 && ranks > 12) return {"bruck", {}, "below 200 bytes a peer, over 12 ranks"};
      if (part < 3000) return {"direct", {}, "below 3,000 bytes a peer"};
      return {"pairwise", {}, "from 3,000 bytes a peer on"};
    case Op::all_gather:
      if (ranks == 2) return {"ring", {}, "two ranks exchange"};
      if (bytes < 50000)
        return power ? HostChoice{"recursive_doubling", {}, "below 50,000 bytes, a power of two"}
                     : HostChoice{"bruck", {}, "below 50,000 bytes, no power of two"};
      if (ranks % 2 != 0) return {"ring", {}, "from 50,000 bytes on, odd"};
      return {"ring", {}, near_neighbor, true};
    case Op::reduce_scatter: {
      const double line = 0.0012 * static_cast<double>(bytes) + 8;
      const bool halving =
          bytes <= 12288 || (bytes <= 262144 && power) || static_cast<double>(ranks) >= line;
      if (halving) return {"halving_doubling", {}, "small, or many ranks for the size"};
      return {"ring", {}, "large"};
    }
    case Op::broadcast:
      if (bytes < 2048) return {"binomial", {}, "below 2 KiB"};
      if (bytes < 370728) return {"binomial", Bytes{1024}, near_tree, true};
      return {"ring", Bytes{128 << 10}, near_pipeline, true};
    case Op::reduce:
      if (ranks < 8 && bytes < 512) return {"linear", {}, "below 512 bytes, up to 7 ranks"};
      if (ranks < 8 && bytes < 20480) return {"binomial", {}, "below 20 KiB, up to 7 ranks"};
      if (bytes < 2048) return {"binomial", {}, near_tree, true};
      return {"ring", Bytes{32 << 10}, near_pipeline, true};
    case Op::barrier:
      return power ? HostChoice{"recursive_doubling", {}, "a power of two"}
                   : HostChoice{"bruck", {}, "no power of two"};
    case Op::gather:
    case Op::scatter:
      return {"linear", {}, "always"};
    default:
      return {"direct", {}, "point to point"};
  }
}

}  // namespace

OpenMpiVersion parse_open_mpi_version(std::string_view text) {
  OpenMpiVersion version{0, 0};
  const char* const end = text.data() + text.size();
  const auto [dot, error] = std::from_chars(text.data(), end, version.major);
  bool good = error == std::errc{} && dot != end && *dot == '.';
  if (good) {
    const auto [next, wrong] = std::from_chars(dot + 1, end, version.minor);
    good = wrong == std::errc{} && (next == end || *next == '.') && version.minor >= 0;
  }
  if (!good || version.major < 1 || version.major > 5)
    throw InputError(
        fmt::format("'{}' is not a version of Open MPI such as 4.1.6 (known: 1.3 to 5)", text));
  return version;
}

HostChoice choose_open_mpi(const HostCall& call, OpenMpiVersion version) {
  if (call.op == Op::sendrecv) return {"direct", {}, "point to point"};
  if (version < OpenMpiVersion{4, 1}) return before_4_1(call);
  if (version >= OpenMpiVersion{5, 0} && is_han(call)) return han(call);
  return from_table(call);
}

HostChoice choose_gloo(const HostCall& call, bool bcube) {
  constexpr Bytes mebibyte{1 << 20};
  switch (call.op) {
    case Op::all_reduce: {
      if (bcube) return {"bcube", {}, "asked for"};
      // gloo/allreduce.cc: ceil(S / 1 MiB) segments, 2 a rank at least, a multiple of the ranks.
      const std::int64_t ranks = std::max(1u, call.ranks);
      std::int64_t segments =
          std::max((call.size.count + mebibyte.count - 1) / mebibyte.count, 2 * ranks);
      segments = (segments + ranks - 1) / ranks * ranks;
      return {"gloo_ring", Bytes{(call.size.count + segments - 1) / segments},
              "gloo::allreduce without an algorithm: ring"};
    }
    case Op::all_gather:
      return {"ring", Bytes{(call.size.count / std::max(1u, call.ranks) + 1) / 2},
              "gloo/allgather.cc: ring, blocks in two halves"};
    case Op::broadcast:
      return {"binomial", {}, "gloo/broadcast.cc: binomial tree"};
    case Op::reduce:
      return {"ring",
              {},
              "gloo/reduce.cc: ring, then gathered by the root; a ring stands for both",
              true};
    case Op::reduce_scatter:
      return {"halving_doubling", {}, "gloo/reduce_scatter.h: halving and doubling", true};
    case Op::all_to_all:
      return {"direct", {}, "gloo/alltoall.cc: all sends and receives at once"};
    case Op::gather:
    case Op::scatter:
      return {"linear", {}, "the root talks to every rank"};
    case Op::barrier:
      return {"bruck", {}, "gloo/barrier.cc: dissemination"};
    default:
      return {"direct", {}, "point to point"};
  }
}

}  // namespace dsim
