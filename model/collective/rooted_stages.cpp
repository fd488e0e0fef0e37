#include "model/collective/rooted_stages.h"

#include <algorithm>

namespace dsim {

namespace {

void binomial_level(const Rooted& r, std::uint32_t subtree, bool in, std::vector<Transfer>& out) {
  for (std::uint64_t parent = 0; parent + subtree < r.ranks; parent += 2 * std::uint64_t{subtree}) {
    const auto above = static_cast<std::uint32_t>(parent), place = above + subtree;
    const std::uint32_t places = std::min(subtree, r.ranks - place);
    out.push_back(in ? r.up(above, place, places, !r.own_blocks) : r.down(above, place, places));
  }
}

Stage binomial(Rooted rooted, bool in) {
  const std::uint32_t levels = log2_up(rooted.ranks);
  Stage stage;
  stage.phases.assign(levels, 1);
  stage.transfers = [rooted, levels, in](std::uint32_t round, std::vector<Transfer>& out) {
    binomial_level(rooted, 1u << (in ? round : levels - 1 - round), in, out);
  };
  return stage;
}

}  // namespace

Stage star_in(Rooted rooted) {
  return single_round([rooted](std::vector<Transfer>& out) {
    for (std::uint32_t place = 1; place < rooted.ranks; ++place)
      out.push_back(rooted.up(0, place, 1, !rooted.own_blocks));
  });
}

Stage star_out(Rooted rooted) {
  return single_round([rooted](std::vector<Transfer>& out) {
    for (std::uint32_t place = 1; place < rooted.ranks; ++place)
      out.push_back(rooted.down(0, place, 1));
  });
}

Stage binomial_in(Rooted rooted) { return binomial(rooted, true); }
Stage binomial_out(Rooted rooted) { return binomial(rooted, false); }

}  // namespace dsim
