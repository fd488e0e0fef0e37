#include "sim/base/error.h"

#include <catch2/catch.hpp>

using namespace dsim;

TEST_CASE("an input error shows the file, the line and a mark under the mistake") {
  const InputError error({"topologies/pod.json", 14, 11}, "unknown link kind 'nvlnk'",
                         "  \"kind\": \"nvlnk\",", 7);
  CHECK(std::string(error.what()) ==
        "topologies/pod.json:14:11: error: unknown link kind 'nvlnk'\n"
        "   14 |   \"kind\": \"nvlnk\",\n"
        "      |           ^~~~~~~");
}
