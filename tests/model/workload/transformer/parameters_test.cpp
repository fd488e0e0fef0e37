// Parameter counts of named transformers against those of the released checkpoints.
#include <catch2/catch.hpp>
#include <cstdint>
#include <string>

#include "model/workload/model.h"

namespace dsim {
namespace {

struct Count {
  std::string name;
  std::int64_t parameters;
};

/// Sizes that model cards and safetensors indices on Hugging Face state (distinct parameters), or
/// tables of the papers.
const Count published[] = {
    {"llama2-7b", 6'738'415'616},
    {"llama2-13b", 13'015'864'320},
    {"llama2-70b", 68'976'648'192},
    {"llama3-8b", 8'030'261'248},
    {"llama3-70b", 70'553'706'496},
    {"llama3-405b", 405'853'388'800},
    {"llama3.1-405b", 405'853'388'800},
    {"llama3.2-1b", 1'235'814'400},
    {"llama3.2-3b", 3'212'749'824},
    {"mistral-7b", 7'241'732'096},
    {"mixtral-8x7b", 46'702'792'704},
    {"mixtral-8x22b", 140'620'634'112},
    {"qwen2-0.5b", 494'032'768},
    {"qwen2-1.5b", 1'543'714'304},
    {"qwen2-7b", 7'615'616'512},
    {"qwen2-72b", 72'706'203'648},
    {"qwen2.5-3b", 3'085'938'688},
    {"qwen2.5-14b", 14'770'033'664},
    {"qwen2.5-32b", 32'763'876'352},
    {"qwen3-0.6b", 596'049'920},
    {"qwen3-4b", 4'022'468'096},
    {"qwen3-8b", 8'190'735'360},
    {"qwen3-14b", 14'768'307'200},
    {"qwen3-32b", 32'762'123'264},
    {"qwen3-30b-a3b", 30'532'122'624},
    {"qwen3-235b-a22b", 235'093'634'560},
    {"deepseek-v2", 235'741'434'880},
    {"deepseek-v2-lite", 15'706'484'224},
    {"deepseek-v3", 671'026'419'200},
    {"gemma-2b", 2'506'172'416},
    {"gemma-7b", 8'537'680'896},
    {"gemma2-9b", 9'241'705'984},
    {"gemma2-27b", 27'227'128'320},
    {"falcon-7b", 6'921'720'704},
    {"falcon-40b", 41'303'293'952},
    {"falcon-180b", 179'522'565'120},
    {"bloom-7b", 7'069'016'064},
    {"bloom-176b", 176'247'271'424},
    {"opt-1.3b", 1'315'758'080},
    {"opt-6.7b", 6'658'473'984},
    {"gpt-j-6b", 6'050'882'784},
    {"gpt-neox-20b", 20'554'567'680},
    {"gpt-oss-20b", 20'914'757'184},
    {"gpt-oss-120b", 116'829'156'672},
    // llm-foundry scripts/train/benchmarking README, at 2,048 tokens
    {"mpt-1b", 1'315'950'592},
    {"mpt-3b", 2'651'837'440},
    {"mpt-7b", 6'658'859'008},
    {"mpt-13b", 12'853'954'560},
    {"mpt-30b", 29'975'214'080},
    {"mpt-70b", 64'862'437'376},
};

Model built(const std::string& name, std::int64_t sequence = 0) {
  ModelRequest request;
  request.micro_batch = 1;
  request.sequence = sequence;
  const ModelKind& kind = model_kind(name);
  return kind.build(kind, request);
}

TEST_CASE("transformers have as many parameters as their checkpoints", "[transformer]") {
  for (const Count& count : published) {
    INFO(count.name);
    CHECK(built(count.name).parameter_count() == count.parameters);
  }
}

}  // namespace
}  // namespace dsim
