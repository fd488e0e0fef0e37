#pragma once
#include "model/collective/custom_program.h"
#include "model/collective/msccl/msccl_file.h"

namespace dsim {

/// The rounds of an MSCCL file. A message goes into the round after the last one that it, or
/// anything before it in its thread block, depends on. The steps are played with sets of parts on
/// the way; throws InputError if a step waits for ever, a message has no other end, or a GPU ends
/// with a wrong chunk. Block numbers are those of the sender's buffer: only bytes count.
CustomProgram msccl_rounds(const MscclFile& file);

}  // namespace dsim
