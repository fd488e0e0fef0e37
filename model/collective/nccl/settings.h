#pragma once
// NCCL's environment variables, as --nccl KEY=VALUE gives them.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/collective/nccl/version.h"
#include "sim/network/topology.h"

namespace dsim {

/// What a user forces or limits; empty = NCCL's default. Text values are kept as NCCL reads them.
struct NcclSettings {
  NcclVersion version;
  std::string algo, proto;  ///< NCCL_ALGO, NCCL_PROTO with NCCL's grammar ("Ring,Tree", "^NVLS")
  std::optional<int> min_channels, max_channels, min_ctas, max_ctas;  ///< NCCL_MIN_NCHANNELS, ...
  std::optional<int> cross_nic;                                       ///< 0, 1, 2
  std::optional<bool> pxn_disable, nvls_enable, p2p_disable, collnet_enable, ib_disable;
  std::optional<std::string> p2p_level, net_gdr_level;  ///< LOC, NVL, PIX, PXB, PHB, SYS
  std::optional<std::string> ib_hca;                    ///< "mlx5_0,mlx5_1", "^mlx5_4", "=..."
  std::optional<int> ib_qps_per_connection, socket_nthreads, nsocks_perthread;
  std::optional<std::int64_t> buffer_size;  ///< NCCL_BUFFSIZE, bytes
};

/// The variables that are read, with NCCL_ before the name, and what each takes.
std::vector<std::pair<std::string, std::string_view>> nccl_keys();

/// Reads KEY=VALUE pairs. Throws InputError for an unknown key (with the nearest) or a bad value.
NcclSettings parse_nccl_settings(std::span<const std::string> pairs, NcclVersion version);

/// NCCL_PXN_DISABLE: no relay over NVLink to the receiver's rail.
Routing routing_under(const NcclSettings& settings, Routing routing);

/// The machine as these settings leave it: P2P, GPUDirect, NIC list, sockets
/// (sim/network/transport.h does it; the topology itself where nothing is changed).
std::shared_ptr<const Topology> apply_transport(std::shared_ptr<const Topology> topology,
                                                const NcclSettings& settings);

}  // namespace dsim
