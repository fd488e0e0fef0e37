#pragma once
// An MSCCL algorithm file as it is written: GPUs, their thread blocks, their steps.
#include <cstdint>
#include <string>
#include <vector>

#include "model/workload/program.h"
#include "sim/base/error.h"

namespace dsim {

/// Chunks in one of a GPU's buffers: 'i' input, 'o' output, 's' scratch.
struct MscclChunks {
  char buffer = 'i';
  std::uint32_t first = 0;
};

struct MscclStep {
  bool receives = false, sends = false, adds = false, stores = false, copies = false;
  MscclChunks source, target;
  std::uint32_t count = 0;
  std::int32_t after_block = -1, after_step = -1;  ///< runs after that step; -1 = none
  int line = 0, column = 0;
};

struct MscclThreadBlock {
  std::int32_t send_to = -1, receive_from = -1;  ///< GPU, -1 = none
  std::uint32_t channel = 0;
  std::vector<MscclStep> steps;
  int line = 0, column = 0;
};

struct MscclGpu {
  std::uint32_t input_chunks = 0, output_chunks = 0, scratch_chunks = 0;
  std::vector<MscclThreadBlock> blocks;  ///< by id
};

struct MscclFile {
  std::string path, text;
  std::string name;
  CollectiveOp op = CollectiveOp::all_reduce;
  std::uint32_t chunks = 0;  ///< nchunksperloop: the size is cut into so many
  bool in_place = false;
  std::vector<MscclGpu> gpus;  ///< by id
  int line = 0, column = 0;    ///< of <algo>

  /// An error at an element.
  InputError error_at(int line, int column, const std::string& message) const;
};

/// Reads the XML. Throws InputError with file:line:col: syntax, an unknown element, a number that
/// is missing or out of range, ids that do not count from 0.
MscclFile parse_msccl_file(std::string text, std::string name);

}  // namespace dsim
