#include "model/collective/msccl/msccl_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>
#include <utility>

#include "model/collective/algorithm.h"

namespace dsim {

namespace {

constexpr std::uint64_t most_moves = 1u << 24;  // chunks moved, of all steps together

// The parts summed in a chunk: (GPU, input chunk) as numbers, ascending; none: nothing there yet.
using Value = std::vector<std::uint64_t>;
using Values = std::vector<Value>;

std::uint64_t part(std::uint32_t gpu, std::uint32_t chunk) {
  return std::uint64_t{gpu} << 32 | chunk;
}

// A step as a node of the graph of dependencies.
struct Node {
  std::uint32_t gpu, block, step;
  std::int64_t match = -1;      // where its message goes, or comes from
  std::uint32_t waits_for = 0;  // predecessors that have not run
  std::vector<std::uint32_t> next;
  std::int64_t level = -1;  // the last round it depends on or sends in
  Values message;           // sent, until it is received
};

class Play {
 public:
  explicit Play(const MscclFile& file)
      : file_(file), n_(static_cast<std::uint32_t>(file.gpus.size())) {
    program_.name = file.name;
    program_.op = file.op;
    program_.ranks = n_;
    program_.blocks = file.chunks;
  }

  CustomProgram run() {
    check_shape();
    number_steps();
    match_messages();
    fill_buffers();
    std::vector<std::uint32_t> ready;
    for (std::uint32_t i = 0; i < nodes_.size(); ++i)
      if (nodes_[i].waits_for == 0) ready.push_back(i);
    std::size_t played = 0;
    for (; played < ready.size(); ++played) {
      const std::uint32_t index = ready[played];
      play(nodes_[index]);
      for (const std::uint32_t next : nodes_[index].next) {
        nodes_[next].level = std::max(nodes_[next].level, nodes_[index].level);
        if (--nodes_[next].waits_for == 0) ready.push_back(next);
      }
    }
    if (played < nodes_.size())
      for (const Node& node : nodes_)
        if (node.waits_for > 0)
          throw error_at(node, fmt::format("{} waits for ever", name_of_node(node)));
    check_end();
    for (auto& round : program_.rounds)
      std::stable_sort(round.begin(), round.end(), [](const Transfer& a, const Transfer& b) {
        return std::pair(a.from, a.to) < std::pair(b.from, b.to);
      });
    return std::move(program_);
  }

 private:
  const MscclStep& step_of(const Node& node) const {
    return file_.gpus[node.gpu].blocks[node.block].steps[node.step];
  }
  const MscclThreadBlock& block_of(const Node& node) const {
    return file_.gpus[node.gpu].blocks[node.block];
  }
  InputError error_at(const Node& node, const std::string& message) const {
    return file_.error_at(step_of(node).line, step_of(node).column, message);
  }
  InputError error(const std::string& message) const {
    return file_.error_at(file_.line, file_.column, message);
  }
  static std::string name_of_node(const Node& node) {
    return fmt::format("GPU {}, thread block {}, step {}", node.gpu, node.block, node.step);
  }

  bool per_gpu() const {
    return file_.op == CollectiveOp::all_gather || file_.op == CollectiveOp::reduce_scatter ||
           file_.op == CollectiveOp::all_to_all;
  }
  std::uint32_t chunks_a_gpu() const { return file_.chunks / n_; }

  void check_shape() const {
    if (!per_gpu() && file_.op != CollectiveOp::all_reduce && file_.op != CollectiveOp::broadcast)
      throw error(fmt::format("MSCCL programs for {} are not supported", name_of(file_.op)));
    if (per_gpu() && file_.chunks % n_ != 0)
      throw error(fmt::format("nchunksperloop=\"{}\" is no multiple of {} GPUs", file_.chunks, n_));
    if (std::uint64_t{file_.chunks} * n_ > most_moves) throw error("too many chunks to check");
  }

  void number_steps() {
    std::uint64_t moves = 0;
    for (std::uint32_t g = 0; g < n_; ++g)
      for (std::uint32_t b = 0; b < file_.gpus[g].blocks.size(); ++b) {
        first_[{g, b}] = static_cast<std::uint32_t>(nodes_.size());
        for (std::uint32_t s = 0; s < file_.gpus[g].blocks[b].steps.size(); ++s) {
          nodes_.push_back({.gpu = g, .block = b, .step = s, .next = {}, .message = {}});
          moves += step_of(nodes_.back()).count;
        }
      }
    if (moves > most_moves) throw error("its steps move too many chunks to check");
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
      const Node& node = nodes_[i];
      const MscclStep& step = step_of(node);
      if (node.step > 0) link(i - 1, i);
      if (step.after_block < 0) continue;
      const auto& blocks = file_.gpus[node.gpu].blocks;
      const auto block = static_cast<std::size_t>(step.after_block);
      if (block >= blocks.size() ||
          std::cmp_greater_equal(step.after_step, blocks[block].steps.size()))
        throw error_at(node, fmt::format("GPU {} has no step {} in a thread block {}", node.gpu,
                                         step.after_step, step.after_block));
      link(first_[{node.gpu, static_cast<std::uint32_t>(block)}] +
               static_cast<std::uint32_t>(step.after_step),
           i);
    }
  }

  void link(std::uint32_t before, std::uint32_t after) {
    nodes_[before].next.push_back(after);
    ++nodes_[after].waits_for;
  }

  // The k-th send of a thread block meets the k-th receive at its other end, on the same channel.
  void match_messages() {
    struct Ends {
      std::vector<std::uint32_t> sends, receives;
    };
    std::map<std::array<std::uint32_t, 3>, Ends> ends;  // from, to, channel
    std::map<std::array<std::uint32_t, 4>, std::uint32_t> owner;
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
      const Node& node = nodes_[i];
      const MscclThreadBlock& block = block_of(node);
      for (const bool sends : {true, false}) {
        if (!(sends ? step_of(node).sends : step_of(node).receives)) continue;
        const auto peer = static_cast<std::uint32_t>(sends ? block.send_to : block.receive_from);
        const auto from = sends ? node.gpu : peer, to = sends ? peer : node.gpu;
        if (from == to) throw error_at(node, "a GPU sends to itself");
        const auto [entry, added] =
            owner.try_emplace({from, to, block.channel, sends ? 1u : 0u}, node.block);
        if (entry->second != node.block)
          throw error_at(
              node,
              fmt::format("thread blocks {} and {} both {} GPU {} on channel {}", entry->second,
                          node.block, sends ? "send to" : "receive from", peer, block.channel));
        Ends& pair = ends[{from, to, block.channel}];
        (sends ? pair.sends : pair.receives).push_back(i);
      }
    }
    for (const auto& [key, pair] : ends) {
      const auto& [sends, receives] = pair;
      for (std::size_t k = 0; k < std::min(sends.size(), receives.size()); ++k) {
        if (step_of(nodes_[sends[k]]).count != step_of(nodes_[receives[k]]).count)
          throw error_at(
              nodes_[receives[k]],
              fmt::format("receives {} chunks where GPU {} sends {} (line {})",
                          step_of(nodes_[receives[k]]).count, key[0],
                          step_of(nodes_[sends[k]]).count, step_of(nodes_[sends[k]]).line));
        nodes_[receives[k]].match = sends[k];
        to_receive_[sends[k]] = receives[k];
        link(sends[k], receives[k]);
      }
      if (sends.size() > receives.size())
        throw error_at(nodes_[sends[receives.size()]],
                       fmt::format("nobody receives this: GPU {} receives {} messages from GPU {} "
                                   "on channel {}, which sends {}",
                                   key[1], receives.size(), key[0], key[2], sends.size()));
      if (receives.size() > sends.size())
        throw error_at(nodes_[receives[sends.size()]],
                       fmt::format("waits for ever: GPU {} sends {} messages to GPU {} on channel "
                                   "{}, which receives {}",
                                   key[0], sends.size(), key[1], key[2], receives.size()));
    }
  }

  // Where chunk `chunk` of a buffer lies. In place, input and output are one buffer.
  std::uint64_t place(std::uint32_t gpu, char buffer, std::uint32_t chunk) const {
    const std::uint32_t own = per_gpu() ? gpu * chunks_a_gpu() : 0;
    if (file_.in_place && buffer == 'o' && file_.op == CollectiveOp::reduce_scatter)
      return place_in('i', own + chunk);
    if (file_.in_place && buffer == 'i' && file_.op == CollectiveOp::all_gather)
      return place_in('o', own + chunk);
    if (file_.in_place && buffer == 'o' && file_.op != CollectiveOp::all_gather)
      return place_in('i', chunk);
    return place_in(buffer, chunk);
  }
  static std::uint64_t place_in(char buffer, std::uint32_t chunk) {
    return static_cast<std::uint64_t>(buffer) << 32 | chunk;
  }

  Value& at(const Node& node, const MscclChunks& chunks, std::uint32_t i) {
    const MscclGpu& gpu = file_.gpus[node.gpu];
    std::uint32_t size = chunks.buffer == 'i'   ? gpu.input_chunks
                         : chunks.buffer == 'o' ? gpu.output_chunks
                                                : gpu.scratch_chunks;
    if (file_.in_place && chunks.buffer != 's') size = std::max(size, file_.chunks);
    if (chunks.first + i >= size)
      throw error_at(node, fmt::format("chunk {} of buffer {}, which has {}", chunks.first + i,
                                       chunks.buffer, size));
    return buffers_[node.gpu][place(node.gpu, chunks.buffer, chunks.first + i)];
  }

  void fill_buffers() {
    buffers_.resize(n_);
    for (std::uint32_t g = 0; g < n_; ++g) {
      if (file_.op == CollectiveOp::broadcast && g != 0) continue;
      const std::uint32_t own =
          file_.op == CollectiveOp::all_gather ? chunks_a_gpu() : file_.chunks;
      for (std::uint32_t c = 0; c < own; ++c) buffers_[g][place(g, 'i', c)] = {part(g, c)};
    }
  }

  void play(Node& node) {
    const MscclStep& step = step_of(node);
    Values received;
    if (step.receives) received = std::move(nodes_[static_cast<std::size_t>(node.match)].message);
    if (step.sends) {
      ++node.level;
      const auto to = static_cast<std::uint32_t>(block_of(node).send_to);
      const Node& other = nodes_[to_receive_.at(static_cast<std::uint32_t>(&node - nodes_.data()))];
      if (static_cast<std::size_t>(node.level) >= program_.rounds.size())
        program_.rounds.resize(static_cast<std::size_t>(node.level) + 1);
      program_.rounds[static_cast<std::size_t>(node.level)].push_back(
          {node.gpu, to, step.source.first % file_.chunks, std::min(step.count, file_.chunks),
           step_of(other).adds});
    }
    Values results;
    for (std::uint32_t i = 0; i < step.count; ++i) {
      Value value;
      if (step.receives) value = std::move(received[i]);
      if (!step.receives || step.adds) {
        const Value& local = at(node, step.source, i);
        if (local.empty()) throw error_at(node, absent(step.source, i));
        add(node, value, local);
      }
      if (step.copies && step.adds) {
        const Value& old = at(node, step.target, i);
        if (old.empty()) throw error_at(node, absent(step.target, i));
        add(node, value, old);
      }
      results.push_back(std::move(value));
    }
    if (step.stores)
      for (std::uint32_t i = 0; i < step.count; ++i) at(node, step.target, i) = results[i];
    if (step.sends) node.message = std::move(results);
  }

  static std::string absent(const MscclChunks& chunks, std::uint32_t i) {
    return fmt::format("chunk {} of buffer {} holds nothing yet", chunks.first + i, chunks.buffer);
  }

  void add(const Node& node, Value& sum, const Value& more) const {
    Value merged;
    std::merge(sum.begin(), sum.end(), more.begin(), more.end(), std::back_inserter(merged));
    if (const auto twice = std::adjacent_find(merged.begin(), merged.end()); twice != merged.end())
      throw error_at(node, fmt::format("chunk {} of GPU {} is added twice", *twice & 0xffffffffu,
                                       *twice >> 32));
    sum = std::move(merged);
  }

  void check_end() {
    const std::uint32_t k = per_gpu() ? chunks_a_gpu() : 0;
    for (std::uint32_t g = 0; g < n_; ++g) {
      const std::uint32_t chunks = file_.op == CollectiveOp::reduce_scatter ? k : file_.chunks;
      for (std::uint32_t c = 0; c < chunks; ++c) {
        Value wanted;
        if (file_.op == CollectiveOp::broadcast)
          wanted = {part(0, c)};
        else if (file_.op == CollectiveOp::all_gather)
          wanted = {part(c / k, c % k)};
        else if (file_.op == CollectiveOp::all_to_all)
          wanted = {part(c / k, g * k + c % k)};
        else
          for (std::uint32_t from = 0; from < n_; ++from)
            wanted.push_back(part(from, file_.op == CollectiveOp::reduce_scatter ? g * k + c : c));
        // A root may leave its result where it was.
        const bool stays = file_.op == CollectiveOp::broadcast && g == 0;
        if (const Value& found = buffers_[g][place(g, stays ? 'i' : 'o', c)]; found != wanted)
          throw error(fmt::format("not a right {}: GPU {} ends with {} of {} parts in chunk {}{}",
                                  name_of(file_.op), g, shared(found, wanted), wanted.size(), c,
                                  found.size() > shared(found, wanted) ? ", and wrong ones" : ""));
      }
    }
  }
  static std::size_t shared(const Value& a, const Value& b) {
    Value both;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
    return both.size();
  }

  const MscclFile& file_;
  std::uint32_t n_;
  CustomProgram program_;
  std::vector<Node> nodes_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> first_;  // GPU, block -> node
  std::unordered_map<std::uint32_t, std::uint32_t> to_receive_;             // send -> receive
  std::vector<std::unordered_map<std::uint64_t, Value>> buffers_;           // by GPU
};

}  // namespace

CustomProgram msccl_rounds(const MscclFile& file) { return Play(file).run(); }

}  // namespace dsim
