#include "model/collective/granularity.h"

#include <algorithm>
#include <cmath>

namespace dsim {

namespace {

constexpr double KiB = 1024;
constexpr double ll_chunk = 32 * KiB;        // a FIFO step of LL: 64 KiB with flags
constexpr double ll128_chunk = 562.5 * KiB;  // of LL128: 600 KiB with flags
constexpr double least_slice = 32 * KiB;     // shorter Simple chunks are not cut
constexpr int steps = 8;                     // NCCL_STEPS of a FIFO

// Bytes that make a channel worth opening.
double channel_bytes(const Schedule& s, Protocol protocol) {
  const bool tree = s.mechanics == Mechanics::tree;
  switch (protocol) {
    case Protocol::ll:
      return 4 * KiB * (s.pattern == Pattern::ring ? static_cast<double>(s.ranks) : 1.0);
    case Protocol::ll128:
      return tree ? 5 * KiB : 16 * KiB;
    default:
      return 32 * KiB;
  }
}

// Tree LL128: halved while there are too few chunks to fill the tree.
double tree_ll128_chunk(const Schedule& s, double bytes, double channels) {
  const double per_node = static_cast<double>(s.ranks) / s.nodes;
  const double depth = 1 + std::log2(static_cast<double>(s.nodes)) + .1 * per_node;
  double chunk = ll128_chunk;
  while (chunk > 128 * KiB && bytes / (channels * chunk) < 64 * depth / per_node) chunk /= 2;
  while (chunk > 32 * KiB && bytes / (channels * chunk) < 16 * depth / per_node) chunk /= 2;
  return chunk;
}

// Tree Simple: halved while the tree is deeper than there are chunks (NVIDIA/nccl src/enqueue.cc).
double tree_simple_chunk(const Schedule& s, double bytes, double channels, double chunk) {
  const double depth = static_cast<double>(s.ranks) / s.nodes - 1 +
                       std::floor(std::log2(static_cast<double>(s.nodes)));
  while (chunk > 128 * KiB && bytes / (channels * chunk) < 8 * depth) chunk /= 2;
  while (chunk > 64 * KiB && bytes / (channels * chunk) < 4 * depth) chunk /= 2;
  while (chunk > 32 * KiB && bytes / (channels * chunk) < depth) chunk /= 2;
  return chunk;
}

// NVLS: 128 KiB, halved for small sizes, each rule on the result of the one before.
double nvls_chunk(double bytes, double workers) {
  double chunk = 128 * KiB;
  if (bytes < 64 * workers * chunk) chunk = std::min(chunk, 64 * KiB);
  if (bytes < 8 * workers * chunk) chunk = std::min(chunk, 32 * KiB);
  if (bytes < 2 * workers * chunk) chunk = std::min(chunk, 16 * KiB);
  return chunk;
}

// NVLS-tree: at most 128 KiB (Hopper from 4 nodes on 64 KiB), cut by size.
double nvls_tree_chunk(const Schedule& s, double bytes, double workers, bool blackwell) {
  double chunk = !blackwell && s.nodes >= 4 ? 64 * KiB : 128 * KiB;
  for (const auto& [factor, largest] :
       {std::pair{32., 256 * KiB}, {16., 128 * KiB}, {4., 64 * KiB}, {1., 32 * KiB}})
    if (bytes < factor * workers * chunk) chunk = std::min(chunk, largest);
  return chunk;
}

double stream_chunk(const Schedule& s, Protocol protocol, double bytes, double channels,
                    const GranularityLimits& limits) {
  const double heads = std::max<double>(1, static_cast<double>(s.blocks));
  if (s.mechanics == Mechanics::nvls) return nvls_chunk(bytes, channels * heads);
  if (s.mechanics == Mechanics::nvls_tree)
    return nvls_tree_chunk(s, bytes, channels * heads, limits.blackwell);
  if (s.mechanics == Mechanics::collnet) return 128 * KiB;
  switch (protocol) {
    case Protocol::ll:
      return ll_chunk;
    case Protocol::ll128:
      return s.mechanics == Mechanics::tree ? tree_ll128_chunk(s, bytes, channels) : ll128_chunk;
    default: {
      const double step = static_cast<double>(limits.buffer_size) / steps;
      return s.mechanics == Mechanics::tree ? tree_simple_chunk(s, bytes, channels, step) : step;
    }
  }
}

}  // namespace

GranularityLimits granularity_limits(const NcclSettings& settings, Architecture architecture,
                                     std::uint32_t channels) {
  GranularityLimits limits;
  limits.channels = channels;
  limits.buffer_size = settings.buffer_size.value_or(limits.buffer_size);
  limits.blackwell = architecture == Architecture::blackwell;
  return limits;
}

Granularity granularity(const Schedule& s, Bytes size, Protocol protocol,
                        const GranularityLimits& limits) {
  Granularity g;
  const double bytes = std::max(1.0, static_cast<double>(size.count));
  const std::uint32_t most =
      limits.channels == 0 ? s.channels : std::min(s.channels, limits.channels);
  const bool all = s.mechanics == Mechanics::nvls || s.mechanics == Mechanics::nvls_tree;
  g.channels =
      all ? most
          : static_cast<std::uint32_t>(std::clamp(std::floor(bytes / channel_bytes(s, protocol)),
                                                  1.0, static_cast<double>(most)));
  const double block = bytes / g.channels / static_cast<double>(s.blocks);
  const auto cut = [&](double chunk) {
    return static_cast<std::int64_t>(std::max(1.0, std::ceil(block / chunk - 1e-9)));
  };
  if (s.pattern == Pattern::ring) {
    const double chunk = protocol == Protocol::ll ? ll_chunk
                         : protocol == Protocol::ll128
                             ? ll128_chunk
                             : static_cast<double>(limits.buffer_size) / steps * 4;
    g.loops = cut(chunk);
    g.messages = s.rounds * g.loops;
    g.message_bytes = block / static_cast<double>(g.loops);
    g.slices = protocol == Protocol::simple && g.message_bytes > least_slice ? 2 : 1;
  } else {
    g.messages = cut(stream_chunk(s, protocol, bytes, g.channels, limits));
    g.message_bytes = block / static_cast<double>(g.messages);
    // LL and LL128 forward what has come in units of a warp's share of a line buffer.
    const double unit = protocol == Protocol::ll ? 4 * KiB : 10 * KiB;
    if (protocol != Protocol::simple)
      g.slices = static_cast<int>(std::max(1.0, std::ceil(g.message_bytes / unit - 1e-9)));
  }
  return g;
}

}  // namespace dsim
