#include "model/collective/host_explain.h"

#include <catch2/catch.hpp>

using namespace dsim;
using Catch::Contains;

TEST_CASE("the explanation of a CPU back end gives its rule, segments and next changes",
          "[host_choice]") {
  const std::string tuned =
      explain_host(Backend::mpi, {CollectiveOp::all_reduce, 64_KiB, 64, 64}, {4, 1});
  INFO(tuned);
  CHECK_THAT(tuned, Contains("Open MPI 4.1 runs recursive_doubling for all_reduce of 64 KiB"));
  CHECK_THAT(tuned, Contains("At 256 KiB it is halving_doubling."));
  const std::string han = explain_host(Backend::mpi, {CollectiveOp::all_reduce, 64_MiB, 16, 2});
  CHECK_THAT(han, Contains("Open MPI 5.0 runs hierarchical") && Contains("segments of 512 KiB"));
  const std::string gloo = explain_host(Backend::gloo, {CollectiveOp::all_reduce, 64_MiB, 8, 8});
  CHECK_THAT(gloo, Contains("Gloo runs gloo_ring") && Contains("segments of 1 MiB") &&
                       Contains("No larger size"));
  CHECK_THAT(gloo, Contains("Rules: pytorch/gloo"));
}

TEST_CASE("the rules of a CPU back end over several sizes are named where they change",
          "[host_choice]") {
  const std::vector<Bytes> sizes{1_KiB, 2_KiB, 1_MiB, 64_MiB};
  const std::string text = explain_host(Backend::mpi, {CollectiveOp::all_reduce, {}, 8, 1}, sizes);
  INFO(text);
  CHECK_THAT(text, Contains("from     1 KiB  recursive_doubling: coll/tuned") &&
                       Contains("from     1 MiB  halving_doubling") &&
                       Contains("Rules: open-mpi/ompi"));
  CHECK_THAT(text, !Contains("2 KiB"));
}
