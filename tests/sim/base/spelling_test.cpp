#include "sim/base/spelling.h"

#include <catch2/catch.hpp>

#include "sim/base/registry.h"
#include "tests/support/message_of.h"

using namespace dsim;

namespace {

std::string near(std::string_view word, std::vector<std::string_view> candidates) {
  return std::string(nearest(word, candidates));
}

}  // namespace

TEST_CASE("the nearest name is suggested only when it is near") {
  CHECK(near("nvlnk", {"pcie", "nvlink", "ib"}) == "nvlink");
  CHECK(near("nvilnk", {"nvlink"}) == "nvlink");  // swapped neighbours
  CHECK(near("NVLINK", {"nvlink"}) == "nvlink");
  CHECK(near("ethernet", {"pcie", "nvlink", "ib"}) == "");
  CHECK(near("rign", {"ring", "tree"}) == "ring");
  CHECK(near("ab", {"xy", "b"}) == "");
  CHECK(near("IB", {"ib"}) == "ib");
  CHECK(near("h100", {"dgx1-v100", "dgx-h100", "dgx-h100-pcie"}) == "dgx-h100");  // a part of it
  CHECK(near("", {"a", "b"}) == "");
  CHECK(near("a", {}) == "");
  CHECK(near(std::string(1'000'000, 'a'), {"aaaa"}) == "");
}

TEST_CASE("an unknown name lists the known ones") {
  const std::vector<std::string_view> known{"nvlink", "pcie", "ib"};
  CHECK(unknown_name("link kind", "nvlnk", known) ==
        "unknown link kind 'nvlnk' (did you mean 'nvlink'? known: nvlink, pcie, ib)");
  CHECK(unknown_name("link kind", "x", known) == "unknown link kind 'x' (known: nvlink, pcie, ib)");
  CHECK(unknown_name("link kind", "x", {}) == "unknown link kind 'x' (none is known)");
  CHECK(unknown_name("link kind", "\x1b" + std::string(100, 'x'), known).substr(0, 60) ==
        "unknown link kind '\\x1b" + std::string(37, 'x'));
}

TEST_CASE("a long list of known names is cut and counted") {
  std::vector<std::string> names;
  for (int i = 10; i < 37; ++i) names.push_back("m" + std::to_string(i));
  const std::vector<std::string_view> known(names.begin(), names.end());
  CHECK(unknown_name("model", "m36x", known) ==
        "unknown model 'm36x' (did you mean 'm36'? known: m10, m11, m12, m13, m14, m15, m16, m17, "
        "m18, "
        "m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, ... (27 in all))");
  const std::vector<std::string_view> few(known.begin(), known.begin() + 22);
  CHECK(unknown_name("model", "zzz", few).ends_with("m31)"));
}

TEST_CASE("a registry finds its rows by name") {
  struct Row {
    std::string_view name, help;
  };
  static constexpr Row ring{"ring", ""}, tree{"tree", ""};
  const Registry<Row> registry("algorithm", {&ring, &tree});
  CHECK(&registry.at("tree") == &tree);
  CHECK(registry.find("none") == nullptr);
  CHECK(test::message_of([&] { registry.at("tre"); }) ==
        "error: unknown algorithm 'tre' (did you mean 'tree'? known: ring, tree)");
}
