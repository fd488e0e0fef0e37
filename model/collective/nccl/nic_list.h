#pragma once
// NCCL_IB_HCA and the NICs of a node.
#include <cstddef>
#include <string_view>
#include <vector>

namespace dsim {

/// The NICs of a node (indices below `nics`) that a list leaves: "mlx5_0,mlx5_2", "^mlx5_1" (all
/// but these), "=mlx5_1" (whole names; without it a name is a beginning, so that mlx5_1 is mlx5_10
/// too). NIC i answers to mlx5_i, nic i, and the names of other drivers with i at the end. Throws
/// InputError for a name that no NIC has, and where none is left.
std::vector<std::size_t> nics_of_list(std::string_view list, std::size_t nics);

}  // namespace dsim
