#include "model/collective/nccl/nic_list.h"

#include <catch2/catch.hpp>

#include "sim/base/error.h"

using namespace dsim;
using Catch::Contains;
using Nics = std::vector<std::size_t>;

TEST_CASE("a list of NICs names them by their beginnings, or whole after =", "[nccl]") {
  CHECK(nics_of_list("mlx5_0,mlx5_2", 4) == Nics{0, 2});
  CHECK(nics_of_list("^mlx5_1", 4) == Nics{0, 2, 3});
  CHECK(nics_of_list("mlx5", 3) == Nics{0, 1, 2});
  CHECK(nics_of_list("mlx5_1", 12) == Nics{1, 10, 11});
  CHECK(nics_of_list("=mlx5_1", 12) == Nics{1});
  CHECK(nics_of_list("^=mlx5_1:1,mlx5_3:1", 4) == Nics{0, 2});
  CHECK(nics_of_list("nic3,hsn0", 4) == Nics{0, 3});
  CHECK_THROWS_WITH(nics_of_list("mlx5_9", 4), Contains("unknown NIC 'mlx5_9'"));
  CHECK_THROWS_WITH(nics_of_list("^mlx5", 4), Contains("leaves no NIC"));
  CHECK_THROWS_AS(nics_of_list("mlx5_0", 0), InputError);
}
