#pragma once
#include <cstdint>

#include "sim/base/units.h"

namespace dsim {

enum class Compression : std::uint8_t { none, fp16, bf16 };

struct DdpOptions {
  Bytes bucket_cap = 25_MiB;   ///< bucket_cap_mb
  Bytes first_bucket = 1_MiB;  ///< kDefaultFirstBucketBytes
  bool gradient_as_bucket_view = false;
  bool broadcast_buffers = true;
  bool static_graph = false;     ///< changes nothing in the steady step of a static network
  bool first_iteration = false;  ///< before the rebuild: one bucket a dtype, no overlap
  Compression compression = Compression::none;
};

}  // namespace dsim
