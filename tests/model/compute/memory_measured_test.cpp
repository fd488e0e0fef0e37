#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "model/compute/memory.h"
#include "tests/support/reference_data.h"

using namespace dsim;

namespace {

/// Columns of FlagPerf's table of PyTorch runs; the notes behind them may hold quoted commas.
constexpr std::size_t gpus_column = 14, micro_batch_column = 28, memory_column = 41;

std::vector<std::string> row(const std::filesystem::path& file, const std::string& id) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(id + ',')) continue;
    std::vector<std::string> cells;
    std::istringstream text(line);
    for (std::string cell; std::getline(text, cell, ',');) cells.push_back(cell);
    return cells;
  }
  return {};
}

struct Run {
  const char *id, *model;
  Precision precision;
  std::int64_t sequence;
  const char* optimizer;
};

}  // namespace

// FlagOpen/FlagPerf, training/nvidia, A100 40 GB: memory in use as nvidia-smi shows it, which is an
// upper bound of what tensors take. All its PyTorch rows with a model and a batch that are known.
// TensorFlow takes the whole GPU at once and says nothing.
TEST_CASE("predicted memory is near what runs on A100 used") {
  const auto folder = test::reference_data();
  if (!folder) return;
  const auto file = *folder / "training" / "flagperf.csv";
  const Run run = GENERATE(Run{"fp-cls-03", "resnet-50", Precision::tf32, 0, "sgd"},
                           Run{"fp-cls-04", "resnet-50", Precision::tf32, 0, "sgd"},
                           Run{"fp-cls-05", "resnet-50", Precision::fp16, 0, "sgd"},
                           Run{"fp-cls-06", "resnet-50", Precision::bf16, 0, "sgd"},
                           Run{"fp-cls-10", "bert-large", Precision::fp16, 512, "lamb"},
                           Run{"fp-cls-53", "gpt2-medium", Precision::tf32, 1024, "adam"});
  CAPTURE(run.id);
  const auto cells = row(file, run.id);
  REQUIRE(cells.size() > memory_column);

  ModelRequest request;
  request.micro_batch = std::stoll(cells[micro_batch_column]);
  request.sequence = run.sequence;
  request.precision = run.precision;
  request.attention = AttentionKernel::unfused;  // PyTorch 1.8 and 1.12
  const ModelKind& kind = model_kind(run.model);
  const Model model = kind.build(kind, request);
  const auto memory = memory_footprint(
      {&model, run.precision, false, &optimizer_kind(run.optimizer), {},
       static_cast<std::uint32_t>(std::stoul(cells[gpus_column])), &gpu_by_name("a100-sxm-40")});
  const double measured = 1e9 * std::stod(cells[memory_column]);
  CHECK(memory.total() == Approx(measured).epsilon(0.2));
  CHECK(memory.fits());
}
