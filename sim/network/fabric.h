#pragma once
// What joins the NICs of different nodes. A fabric numbers its own vertices and links from 0 and
// computes routes from port to port; a port is a NIC of the cluster, node-major.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "sim/base/json.h"
#include "sim/base/registry.h"
#include "sim/network/graph.h"
#include "sim/network/node_type.h"

namespace dsim {

/// One end of a cable: a port, or a vertex of the fabric.
struct FabricEnd {
  bool is_port = false;
  std::size_t index = 0;
};

/// A directed link of a fabric.
struct Cable {
  FabricEnd from, to;
  Bandwidth bandwidth;
  Time latency;
  LinkKind kind = LinkKind::ib;
};

/// Which of several equal paths: all evenly (spray), or the one the hash says.
struct PathChoice {
  bool spray = true;
  std::uint64_t hash = 0;
};

/// Immutable; safe to share between threads.
class Fabric {
 public:
  virtual ~Fabric() = default;
  /// For the report: "rail-optimised fat tree".
  virtual std::string description() const = 0;
  virtual std::size_t vertex_count() const = 0;
  virtual VertexKind vertex_kind(std::size_t index) const = 0;
  virtual std::string vertex_name(std::size_t index) const = 0;
  virtual std::size_t link_count() const = 0;
  virtual Cable cable(std::size_t link) const = 0;
  /// True if there is a way between two ports of different nodes; always true for NICs of one index
  /// (a rail).
  virtual bool reaches(std::size_t from, std::size_t to) const = 0;
  /// Appends the way between two ports of different nodes to `out`, link ids counted from
  /// `first_link`; adds its latency and switches. Requires reaches().
  virtual void append_route(std::size_t from, std::size_t to, PathChoice choice,
                            std::uint32_t first_link, Route& out) const = 0;
  /// Largest rate from all ports below `middle` to those in [middle, end), one direction.
  virtual Bandwidth rate_between(std::size_t middle, std::size_t end) const = 0;
};

/// What a fabric is built for.
struct FabricSite {
  std::size_t nodes = 0;
  std::size_t nics_per_node = 0;
  NicSpec nic;
};

/// A kind of fabric: one file in fabrics/ and one line in fabric_kinds.cpp.
struct FabricKind {
  std::string_view name, help;
  /// Reads the kind's own keys from `spec` (key "kind" is taken already). Throws InputError.
  std::unique_ptr<Fabric> (*build)(json::ObjectReader& spec, const json::Value& where,
                                   const FabricSite& site);
};

/// All kinds by name.
Registry<FabricKind> fabric_kinds();

}  // namespace dsim
