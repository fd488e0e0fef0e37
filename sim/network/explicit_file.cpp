#include "sim/network/topology_file.h"

namespace dsim {

void read_explicit(json::ObjectReader& reader, const json::Value&, Cluster&) {
  reader.at("vertices").fail("explicit graphs are not read yet");
}

}  // namespace dsim
