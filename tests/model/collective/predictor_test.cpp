// What a predictor keeps between calls must not change what it says.
#include "model/collective/predictor.h"

#include <catch2/catch.hpp>

#include "tests/model/collective/worlds.h"

using namespace dsim;
using namespace dsim::test;

TEST_CASE("a prediction does not depend on the sizes asked before") {
  const auto algorithm = GENERATE("segmented_ring", "gloo_ring", "ring", "halving_doubling");
  CAPTURE(algorithm);
  CollectiveSetup setup;
  setup.topology = shipped("dgx-h100x2.json");
  setup.algorithm = algorithm;
  const auto seconds_of = [](CollectivePredictor& predictor, Bytes size) {
    CollectiveQuery query;
    query.size = size;
    return predictor.predict(query).seconds;
  };
  CollectivePredictor used(setup), fresh(setup);
  seconds_of(used, 1_MiB);
  CHECK(seconds_of(used, 1_GiB) == seconds_of(fresh, 1_GiB));
}

TEST_CASE("NCCL_PXN_DISABLE sends an all-to-all through the fabric's upper switches") {
  // Without the relay over NVLink to the receiver's rail, messages change rails in the fabric.
  CollectiveSetup setup;
  setup.topology = shipped("dgx8x64.json");
  CollectiveSetup without = setup;
  without.nccl.pxn_disable = true;
  CHECK(CollectivePredictor(setup).communicator().routing == Routing::rail_aligned);
  CHECK(CollectivePredictor(without).communicator().routing == Routing::spray);
}
