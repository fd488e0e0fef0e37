#include "model/collective/custom_program.h"
#include "sim/base/error.h"
namespace dsim {
CustomProgram detail::parse_msccl_program(const std::string&, const std::string&) {
  throw InputError("MSCCL XML cannot be read yet");
}
}  // namespace dsim
