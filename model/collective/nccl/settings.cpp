#include "model/collective/nccl/settings.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <vector>

#include "model/collective/nccl/tuning_filter.h"
#include "sim/base/error.h"
#include "sim/base/spelling.h"

namespace dsim {

namespace {

constexpr std::string_view prefix = "NCCL_";

[[noreturn]] void refuse(std::string_view key, std::string_view value, std::string_view expected) {
  throw InputError(fmt::format("{}: expected {}, found '{}'", key, expected, value));
}

std::int64_t whole(std::string_view key, std::string_view value, std::int64_t least,
                   std::int64_t most) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc{} || end != value.data() + value.size() || number < least || number > most)
    refuse(key, value, fmt::format("a whole number from {} to {}", least, most));
  return number;
}

std::optional<int> count(std::string_view key, std::string_view value, int least, int most) {
  return static_cast<int>(whole(key, value, least, most));
}

std::optional<bool> flag(std::string_view key, std::string_view value) {
  if (value == "0") return false;
  if (value == "1") return true;
  refuse(key, value, "0 or 1");
}

// Path levels; the numbers are those of old releases (NVIDIA/nccl src/graph/paths.cc
// ncclGetLevel: 0 to 5 are LOC, PIX, PXB, PHB, SYS, SYS).
constexpr std::array<std::string_view, 6> levels = {"LOC", "NVL", "PIX", "PXB", "PHB", "SYS"};
constexpr std::array<std::string_view, 6> old_levels = {"LOC", "PIX", "PXB", "PHB", "SYS", "SYS"};

std::string level(std::string_view key, std::string_view value) {
  if (value.size() == 1 && value[0] >= '0' && value[0] <= '5')
    return std::string(old_levels[static_cast<std::size_t>(value[0] - '0')]);
  std::string upper(value);
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  if (std::find(levels.begin(), levels.end(), upper) == levels.end())
    throw InputError(fmt::format("{}: {}", key, unknown_name("path level", value, levels)));
  return upper;
}

// A list of NICs: an optional ^ (all but) and = (whole names), then names, each with an optional
// port "mlx5_0:1".
std::string nics(std::string_view key, std::string_view value) {
  std::string_view names = value;
  if (names.starts_with('^')) names.remove_prefix(1);
  if (names.starts_with('=')) names.remove_prefix(1);
  if (names.empty() || names.front() == ',' || names.back() == ',' ||
      names.find(",,") != std::string_view::npos)
    refuse(key, value, "NIC names such as mlx5_0,mlx5_1 or ^mlx5_4");
  return std::string(value);
}

// Bytes; K, M, G are powers of 1024.
std::int64_t bytes(std::string_view key, std::string_view value) {
  int shift = 0;
  std::string_view digits = value;
  if (!digits.empty()) {
    switch (digits.back()) {
      case 'k':
      case 'K':
        shift = 10;
        break;
      case 'm':
      case 'M':
        shift = 20;
        break;
      case 'g':
      case 'G':
        shift = 30;
        break;
      default:
        break;
    }
    if (shift > 0) digits.remove_suffix(1);
  }
  constexpr std::int64_t least = 4096, most = std::int64_t{1} << 30;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc{} || end != digits.data() + digits.size() || number < 1 ||
      number > (most >> shift) || number << shift < least)
    refuse(key, value, "bytes from 4096 to 1G, such as 4194304 or 4M");
  return number << shift;
}

struct Key {
  std::string_view name, help;  // the name without NCCL_
  void (*set)(NcclSettings& settings, std::string_view key, std::string_view value);
};

// NCCL's MAXCHANNELS: 64 channels since 2.19, 32 before; 64 is accepted for all.
constexpr int most_channels = 64;

using S = NcclSettings;
using V = std::string_view;
constexpr Key keys[] = {
    {"ALGO", "algorithms left: Ring,Tree; ^NVLS; from 2.24 allreduce:tree,nvls",
     [](S& s, V, V v) { s.algo = v; }},
    {"PROTO", "protocols left: LL, LL128, Simple; naming LL128 switches it on",
     [](S& s, V, V v) { s.proto = v; }},
    {"MIN_NCHANNELS", "1 to 64: least channels of the search",
     [](S& s, V k, V v) { s.min_channels = count(k, v, 1, most_channels); }},
    {"MAX_NCHANNELS", "1 to 64: most channels of the search",
     [](S& s, V k, V v) { s.max_channels = count(k, v, 1, most_channels); }},
    {"MIN_CTAS", "1 to 64: the same, newer name",
     [](S& s, V k, V v) { s.min_ctas = count(k, v, 1, most_channels); }},
    {"MAX_CTAS", "1 to 64: the same, newer name",
     [](S& s, V k, V v) { s.max_ctas = count(k, v, 1, most_channels); }},
    {"CROSS_NIC", "0, 1 or 2: a ring may leave a node by another NIC than it came in",
     [](S& s, V k, V v) { s.cross_nic = count(k, v, 0, 2); }},
    {"PXN_DISABLE", "0 or 1: no relay over NVLink to the GPU beside the right NIC",
     [](S& s, V k, V v) { s.pxn_disable = flag(k, v); }},
    // 2 is NCCL's default: where the hardware can.
    {"NVLS_ENABLE", "0, 1 or 2: reduction in the NVSwitch; 2 (default): where it can",
     [](S& s, V k, V v) {
       if (v == "2")
         s.nvls_enable.reset();
       else if (v == "0" || v == "1")
         s.nvls_enable = v == "1";
       else
         refuse(k, v, "0, 1 or 2");
     }},
    {"P2P_DISABLE", "0 or 1: GPUs of a node reach each other through host memory only",
     [](S& s, V k, V v) { s.p2p_disable = flag(k, v); }},
    {"P2P_LEVEL", "LOC, NVL, PIX, PXB, PHB or SYS: how far GPUs reach directly",
     [](S& s, V k, V v) { s.p2p_level = level(k, v); }},
    {"NET_GDR_LEVEL", "the same levels: how far a NIC reaches GPU memory directly",
     [](S& s, V k, V v) { s.net_gdr_level = level(k, v); }},
    {"IB_HCA", "mlx5_0,mlx5_1 or ^mlx5_4: the NICs to use; here nic0, nic1, ... too",
     [](S& s, V k, V v) { s.ib_hca = nics(k, v); }},
    {"IB_DISABLE", "0 or 1: sockets instead of InfiniBand or RoCE",
     [](S& s, V k, V v) { s.ib_disable = flag(k, v); }},
    {"COLLNET_ENABLE", "0 or 1: reduction in the switches of the network (SHARP)",
     [](S& s, V k, V v) { s.collnet_enable = flag(k, v); }},
    {"IB_QPS_PER_CONNECTION", "1 to 128: queue pairs a connection",
     [](S& s, V k, V v) { s.ib_qps_per_connection = count(k, v, 1, 128); }},
    {"BUFFSIZE", "4096 to 1G bytes: FIFO of Simple a connection; default 4M",
     [](S& s, V k, V v) { s.buffer_size = bytes(k, v); }},
    {"SOCKET_NTHREADS", "1 to 16: threads of a connection over sockets",
     [](S& s, V k, V v) { s.socket_nthreads = count(k, v, 1, 16); }},
    {"NSOCKS_PERTHREAD", "1 to 64: sockets a thread; at most 64 in all",
     [](S& s, V k, V v) { s.nsocks_perthread = count(k, v, 1, 64); }},
};
constexpr std::size_t key_count = std::size(keys);

void check_order(std::string_view low_key, const std::optional<int>& low, std::string_view high_key,
                 const std::optional<int>& high) {
  if (low && high && *low > *high)
    throw InputError(fmt::format("{}={} is more than {}={}", low_key, *low, high_key, *high));
}

// What the values say together.
void check(const NcclSettings& s) {
  check_order("NCCL_MIN_NCHANNELS", s.min_channels, "NCCL_MAX_NCHANNELS", s.max_channels);
  check_order("NCCL_MIN_CTAS", s.min_ctas, "NCCL_MAX_CTAS", s.max_ctas);
  // MAX_SOCKETS (NVIDIA/nccl src/transport/net_socket.cc).
  if (s.socket_nthreads.value_or(1) * s.nsocks_perthread.value_or(1) > 64)
    throw InputError(fmt::format(
        "NCCL_SOCKET_NTHREADS={} x NCCL_NSOCKS_PERTHREAD={}: NCCL opens 64 sockets at most",
        s.socket_nthreads.value_or(1), s.nsocks_perthread.value_or(1)));
  for (const CollectiveOp op : {CollectiveOp::all_reduce, CollectiveOp::broadcast})
    tuning_filter(s, op);  // throws for names that NCCL does not know
}

}  // namespace

std::vector<std::pair<std::string, std::string_view>> nccl_keys() {
  std::vector<std::pair<std::string, std::string_view>> result;
  for (const Key& key : keys)
    result.emplace_back(std::string(prefix) + std::string(key.name), key.help);
  return result;
}

NcclSettings parse_nccl_settings(std::span<const std::string> pairs, NcclVersion version) {
  NcclSettings settings;
  settings.version = version;
  std::array<bool, key_count> seen{};
  for (const std::string& pair : pairs) {
    const std::size_t equals = pair.find('=');
    if (equals == std::string::npos || equals == 0)
      throw InputError(fmt::format("--nccl: expected KEY=VALUE, found '{}'", pair));
    std::string_view name = std::string_view(pair).substr(0, equals);
    const std::string_view value = std::string_view(pair).substr(equals + 1);
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
    const auto* const key = std::find_if(std::begin(keys), std::end(keys),
                                         [&](const Key& k) { return k.name == name; });
    if (key == std::end(keys)) {
      std::array<std::string_view, key_count> known;
      std::transform(std::begin(keys), std::end(keys), known.begin(),
                     [](const Key& k) { return k.name; });
      throw InputError(unknown_name("setting of NCCL", name, known));
    }
    const std::string full = std::string(prefix) + std::string(name);
    bool& again = seen.at(static_cast<std::size_t>(key - std::begin(keys)));
    if (again) throw InputError(fmt::format("{} is given twice", full));
    again = true;
    if (value.empty()) throw InputError(fmt::format("{} has no value", full));
    key->set(settings, full, value);
  }
  check(settings);
  return settings;
}

}  // namespace dsim
