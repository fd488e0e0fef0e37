// One machine on its own: nothing to join.
#include "sim/base/error.h"
#include "sim/network/fabric.h"

namespace dsim::fabrics {
namespace {

class None : public Fabric {
 public:
  std::string description() const override { return "single node"; }
  std::size_t vertex_count() const override { return 0; }
  VertexKind vertex_kind(std::size_t) const override { return {}; }
  std::string vertex_name(std::size_t) const override { return {}; }
  std::size_t link_count() const override { return 0; }
  Cable cable(std::size_t) const override { return {}; }
  bool reaches(std::size_t, std::size_t) const override { return false; }
  void append_route(std::size_t, std::size_t, PathChoice, std::uint32_t, Route&) const override {
    require(false, "a single node has no routes to other nodes");
  }
  Bandwidth rate_between(std::size_t, std::size_t) const override { return {}; }
};

std::unique_ptr<Fabric> build(json::ObjectReader&, const json::Value& where,
                              const FabricSite& site) {
  if (site.nodes > 1)
    where.fail(std::to_string(site.nodes) +
               " nodes need a fabric that joins them, such as single_switch");
  return std::make_unique<None>();
}

}  // namespace

extern const FabricKind none;
const FabricKind none{"none", "one node on its own", build};

}  // namespace dsim::fabrics
