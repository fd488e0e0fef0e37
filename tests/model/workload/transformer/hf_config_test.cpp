// Hugging Face config.json files: what loads, with how many parameters, and what is refused.
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <string>

#include "model/workload/transformer/config.h"
#include "model/workload/transformer/hf_config.h"
#include "tests/support/message_of.h"
#include "tests/support/reference_data.h"

namespace dsim {
namespace {

std::shared_ptr<const ModelKind> read(const std::string& text) {
  const json::Document document = json::Document::parse(text, "config.json");
  return hf_model(document.root(), "some-model");
}

std::string complaint(const std::string& text) {
  return test::message_of([&] { read(text); });
}

std::int64_t parameters(const ModelKind& kind) {
  ModelRequest request;
  request.sequence = 128;
  return kind.build(kind, request).parameter_count();
}

const std::string llama = R"({"model_type": "llama", "hidden_size": 4096,
 "intermediate_size": 11008, "num_attention_heads": 32, "num_hidden_layers": 32,
 "vocab_size": 32000, "rms_norm_eps": 1e-6, "some_key_of_next_year": {"a": [1]}})";

/// `llama` with one value in place of another.
std::string changed(const std::string& from, const std::string& to) {
  std::string text = llama;
  const std::size_t place = text.find(from);
  REQUIRE(place != std::string::npos);
  return text.replace(place, from.size(), to);
}

TEST_CASE("a config.json becomes the model that it describes", "[transformer]") {
  const auto kind = read(llama);
  CHECK(kind->name == "some-model");
  CHECK(parameters(*kind) == 6'738'415'616);
  CHECK(kind->transformer->kv_heads == 32);
  CHECK(kind->default_sequence == 2048);
}

TEST_CASE("the class in 'architectures' goes before the model_type", "[transformer]") {
  const auto kind =
      read(changed(R"("model_type": "llama")",
                   R"("model_type": "llama", "architectures": ["Qwen2ForCausalLM"])"));
  CHECK(kind->transformer->qkv_bias);
}

TEST_CASE("malformed configs are refused at their place with what was expected", "[transformer]") {
  struct Row {
    std::string from, to, place, message;
  };
  const auto row = GENERATE(values<Row>({
      {R"("hidden_size": 4096)", R"("hidden_size": -4096)", "config.json:1:40", "from 1 to"},
      {R"("hidden_size": 4096)", R"("hidden_size": "4096")", "config.json:1:40", "an integer"},
      {R"("hidden_size": 4096)", R"("hidden_size": 4e99)", "config.json:1:40", "an integer"},
      {R"("hidden_size": 4096)", R"("hiden_size": 4096)", "config.json:1:1", "'hiden_size' meant"},
      {R"("hidden_size": 4096,)", "", "config.json:1:1", "missing key 'hidden_size'"},
      {R"("num_attention_heads": 32)", R"("num_attention_heads": 30)", "config.json:2:53",
       "divisor of the hidden size 4096, found 30"},
      {R"("num_attention_heads": 32)", R"("num_attention_heads": 0)", "config.json:2:53",
       "from 1 to"},
      {R"("num_hidden_layers": 32)", R"("num_hidden_layers": 1000000000)", "config.json:2:78",
       "from 1 to 4096"},
      {R"("num_hidden_layers": 32)", R"("num_hidden_layers": 32, "num_key_value_heads": 5)",
       "config.json:2:105", "divisor of the 32 heads, found 5"},
      {R"("num_hidden_layers": 32)", R"("num_hidden_layers": 32, "num_key_value_heads": 64)",
       "config.json:2:105", "from 1 to 32"},
      {R"("vocab_size": 32000)", R"("vocab_size": null)", "config.json:1:1",
       "missing key 'vocab_size'"},
      {R"("rms_norm_eps": 1e-6)", R"("hidden_act": "sliu")", "config.json:3:37", "'silu'"},
      {R"("rms_norm_eps": 1e-6)", R"("attention_dropout": 1.5)", "config.json:3:44",
       "a probability"},
      {R"("rms_norm_eps": 1e-6)", R"("tie_word_embeddings": 1)", "config.json:3:46",
       "true or false"},
      {R"("llama")", R"("lama")", "config.json:1:16", "did you mean 'llama'"},
      {R"("llama")", R"("jamba")", "config.json:1:16", "state-space"},
      {R"("model_type": "llama")", R"("architectures": ["LamaForCausalLM"])", "config.json:1:19",
       "did you mean 'LlamaForCausalLM'"},
      {R"("model_type": "llama", )", "", "config.json:1:1", "neither a Hugging Face"},
      {R"("model_type": "llama")", R"("text_config": {}, "vision_config": {})", "config.json:1:38",
       "images or sound"},
  }));
  const std::string message = complaint(changed(row.from, row.to));
  INFO(row.to);
  CHECK_THAT(message, Catch::StartsWith(row.place));
  CHECK_THAT(message, Catch::Contains(row.message));
}

TEST_CASE("experts are checked against their number", "[transformer]") {
  const std::string text = R"({"model_type": "mixtral", "hidden_size": 64, "intermediate_size": 128,
 "num_attention_heads": 4, "num_hidden_layers": 2, "vocab_size": 100, "num_key_value_heads": 2,
 "num_local_experts": 8, "num_experts_per_tok": 9})";
  CHECK_THAT(complaint(text), Catch::StartsWith("config.json:3:49") && Catch::Contains("1 to 8"));
}

/// Parameters of real files: of the checkpoint they describe, or 0 where only loading is tested
/// (shrunken or unpublished); "" after the name: loads, else the reason of the refusal.
struct File {
  const char* name;
  std::int64_t parameters;
  const char* refusal;
};
const File files[] = {
    {"MiniMaxAI--MiniMax-M2.5.json", 0, ""},
    {"Qwen--Qwen3-0.6B.json", 596'049'920, ""},
    {"Qwen--Qwen3-1.7B.json", 1'720'574'976, ""},
    {"Qwen--Qwen3-235B-A22B-FP8.json", 235'093'634'560, ""},
    {"Qwen--Qwen3-235B-A22B.json", 235'093'634'560, ""},
    {"Qwen--Qwen3-30B-A3B.json", 30'532'122'624, ""},
    {"Qwen--Qwen3-32B.json", 32'762'123'264, ""},
    {"Qwen--Qwen3-8B.json", 8'190'735'360, ""},
    {"Qwen--Qwen3-Coder-480B-A35B-Instruct.json", 480'154'875'392, ""},
    {"Qwen--Qwen3-VL-8B-Instruct.json", 0, "images or sound"},
    {"Qwen--Qwen3.5-35B-A3B.json", 0, "linear-attention"},
    {"Qwen--Qwen3.5-397B-A17B.json", 0, "linear-attention"},
    {"XiaomiMiMo--MiMo-7B-Base.json", 0, ""},
    {"bigscience-lm_t5-large.json", 0, "encoder and a decoder"},
    {"deepseek-ai--DeepSeek-R1.json", 671'026'419'200, ""},
    {"deepseek-ai--DeepSeek-V3.2.json", 0, "indexer"},
    {"deepseek-ai--DeepSeek-V3.json", 671'026'419'200, ""},
    {"gpt2-large.json", 774'030'080, ""},
    {"gpt2-medium-vocab32k.json", 0, ""},
    {"gpt2-xl-1p5B.json", 1'557'611'200, ""},
    {"habana-bert-1.5b.json", 0, ""},
    {"habana-bert-5b.json", 0, ""},
    {"ipex-albert-base-v1.json", 0, "one set of parameters"},
    {"ipex-bert-base.json", 109'514'298, ""},
    {"ipex-git.json", 0, "images or sound"},
    {"ipex-mllama.json", 0, "images or sound"},
    {"ipex-mosaicml_mpt-7b.json", 6'649'286'656, ""},
    {"meta-llama--Llama-4-Scout-17B-16E-Instruct.json", 0, ""},
    {"meta-llama--Meta-Llama-3.1-405B.json", 405'853'388'800, ""},
    {"meta-llama--Meta-Llama-3.1-70B.json", 70'553'706'496, ""},
    {"meta-llama--Meta-Llama-3.1-8B.json", 8'030'261'248, ""},
    {"mistralai--Mixtral-8x22B-v0.1.json", 140'620'634'112, ""},
    {"mistralai--Mixtral-8x7B-v0.1.json", 46'702'792'704, ""},
    {"mlperf-llama2-70b.json", 68'976'648'192, ""},
    {"mlperf-mixtral-8x22b.json", 140'620'634'112, ""},
    {"moonshotai--Kimi-K2-Instruct.json", 0, ""},
    {"neuron-llama2-13b.json", 13'016'028'160, ""},  // vocabulary of Code Llama
    {"neuron-llama2-70b.json", 68'976'648'192, ""},
    {"neuron-llama2-7b.json", 6'738'415'616, ""},
    {"neuron-llama3-70b.json", 70'553'706'496, ""},
    {"neuron-llama3-8b.json", 8'030'261'248, ""},
    {"nvidia--NVIDIA-Nemotron-3-Nano-30B-A3B-BF16.json", 0, "state-space"},
    {"nvidia--Qwen3-235B-A22B-NVFP4.json", 235'093'634'560, ""},
    {"nvidia-bert-base.json", 0, ""},
    {"nvidia-bert-large.json", 335'174'458, ""},
    {"olm-roberta-base.json", 124'697'433, ""},
    {"openai--gpt-oss-20b.json", 20'914'757'184, ""},
    {"openmoe-8b.json", 0, "unknown architecture 'OpenMoeForCausalLM'"},
    {"paddle-bert-base-uncased.json", 109'514'298, ""},
    {"paddle-bert-large-uncased.json", 335'174'458, ""},
    {"phi-2.json", 2'779'683'840, ""},
    {"phi-mini-moe.json", 0, ""},
    {"qwen3-next-80b-a3b.json", 0, "linear-attention"},
    {"simai-deepseek_v3.json", 671'026'419'200, ""},
    {"simai-qwen3-235b-fp8-mislabelled.json", 0, ""},
    {"stepfun-ai--Step-3.7-Flash.json", 0, "layers of different heads"},
    {"zai-org--GLM-5.json", 0, "indexer"},
    {"tiny-ipex/ipex-baichuan.json", 0, ""},
    {"tiny-ipex/ipex-bloom.json", 0, ""},
    {"tiny-ipex/ipex-chatglm.json", 0, ""},
    {"tiny-ipex/ipex-codegen.json", 0, ""},
    {"tiny-ipex/ipex-deepseekv2.json", 0, ""},
    {"tiny-ipex/ipex-deepseekv3.json", 0, ""},
    {"tiny-ipex/ipex-falcon-7b.json", 0, ""},
    {"tiny-ipex/ipex-falcon.json", 0, ""},
    {"tiny-ipex/ipex-gptbigcode.json", 0, ""},
    {"tiny-ipex/ipex-gptj.json", 0, ""},
    {"tiny-ipex/ipex-gptneox.json", 0, ""},
    {"tiny-ipex/ipex-jamba.json", 0, "state-space"},
    {"tiny-ipex/ipex-llama.json", 0, ""},
    {"tiny-ipex/ipex-llama3.json", 0, ""},
    {"tiny-ipex/ipex-llava.json", 0, "images or sound"},
    {"tiny-ipex/ipex-maira2.json", 0, "images or sound"},
    {"tiny-ipex/ipex-mistral.json", 0, ""},
    {"tiny-ipex/ipex-mixtral.json", 0, ""},
    {"tiny-ipex/ipex-mpt.json", 0, ""},
    {"tiny-ipex/ipex-opt.json", 0, ""},
    {"tiny-ipex/ipex-phi.json", 0, ""},
    {"tiny-ipex/ipex-phi3.json", 0, ""},
    {"tiny-ipex/ipex-phi4.json", 0, "images or sound"},
    {"tiny-ipex/ipex-qwen.json", 0, ""},
    {"tiny-ipex/ipex-qwen2.json", 0, ""},
    {"tiny-ipex/ipex-qwen3.json", 0, ""},
    {"tiny-ipex/ipex-qwen3moe.json", 0, ""},
    {"tiny-ipex/ipex-stablelm.json", 0, ""},
    {"tiny-ipex/ipex-t5.json", 0, "encoder and a decoder"},
    {"tiny-ipex/ipex-whisper.json", 0, "encoder and a decoder"},
    {"tiny-ipex/ipex-yuan.json", 0, "filtered"},
};

TEST_CASE("every real config.json loads with its parameters, or is refused with the reason",
          "[transformer]") {
  const auto data = test::reference_data();
  if (!data) return;
  const std::filesystem::path folder = *data / "inputs" / "hf-config";
  std::map<std::string, const File*> known;
  for (const File& file : files) known[file.name] = &file;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    const std::string name = entry.path().lexically_relative(folder).string();
    INFO(name);
    const auto row = known.find(name);
    REQUIRE(row != known.end());
    const auto path = entry.path().string();
    const std::string message = test::message_of([&] {
      const auto kind = find_model(path);
      const std::int64_t count = parameters(*kind);
      CHECK(count > 1'000'000);
      if (row->second->parameters > 0) CHECK(count == row->second->parameters);
    });
    if (*row->second->refusal == '\0') {
      CHECK(message == "no error");
    } else {
      CHECK_THAT(message, Catch::StartsWith(path) && Catch::Contains(row->second->refusal));
    }
  }
}

}  // namespace
}  // namespace dsim
