#pragma once
#include <string>
#include <string_view>

namespace dsim {

/// The name as NCCL writes it where it is one of NCCL's ("nvls_tree": "NVLSTree"), else our own.
std::string_view nccl_spelling(std::string_view algorithm);

}  // namespace dsim
