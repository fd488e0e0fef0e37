// What --model takes: names, aliases, files and folders.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "model/workload/model.h"
#include "tests/support/message_of.h"
#include "tests/support/temporary_folder.h"

namespace dsim {
namespace {

const std::string llama = R"({"model_type": "llama", "hidden_size": 64, "intermediate_size": 128,
  "num_attention_heads": 4, "num_hidden_layers": 2, "vocab_size": 1000})";
const std::string layers = R"({"format": "dsim.layers/1", "name": "net", "layers": [
  {"name": "l", "ops": [{"op": "linear", "inputs": 8, "outputs": 8}]}]})";

void write(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

}  // namespace

TEST_CASE("names and aliases are found without a file", "[find_model]") {
  CHECK(find_model("bert")->name == "bert-large");
  CHECK(find_model("Llama3.1-8B")->name == "llama3-8b");
}

TEST_CASE("an unknown name is refused with the nearest known one", "[find_model]") {
  CHECK_THAT(test::message_of([] { find_model("lama3-8b"); }),
             Catch::Contains("did you mean 'llama3-8b'"));
}

TEST_CASE("a file is a config.json or a layer file by what stands in it", "[find_model]") {
  const test::TemporaryFolder folder;
  write(folder.path() / "small-llama.json", llama);
  write(folder.path() / "net.json", layers);
  CHECK(find_model((folder.path() / "small-llama.json").string())->name == "small-llama");
  CHECK(find_model((folder.path() / "small-llama.json").string())->transformer != nullptr);
  CHECK(find_model((folder.path() / "net.json").string())->layers != nullptr);
}

TEST_CASE("a folder with a config.json is a model of the folder's name", "[find_model]") {
  const test::TemporaryFolder folder;
  write(folder.path() / "my-llama" / "config.json", llama);
  CHECK(find_model((folder.path() / "my-llama").string())->name == "my-llama");
  CHECK(find_model((folder.path() / "my-llama" / "config.json").string())->name == "my-llama");
}

TEST_CASE("a model of a file outlives the text it was read from", "[find_model]") {
  const test::TemporaryFolder folder;
  write(folder.path() / "small-llama.json", llama);
  const auto kind = find_model((folder.path() / "small-llama.json").string());
  std::filesystem::remove(folder.path() / "small-llama.json");
  const Model model = kind->build(*kind, {});
  CHECK(model.name == "small-llama");
  CHECK(model.parameter_count() == 2 * 64 * 1000 + 64 + 2 * (4 * 64 * 64 + 3 * 64 * 128 + 128));
}

TEST_CASE("a missing file and malformed JSON are refused with the file's name", "[find_model]") {
  const test::TemporaryFolder folder;
  const std::string missing = (folder.path() / "nothing.json").string();
  CHECK_THAT(test::message_of([&] { find_model(missing); }), Catch::Contains("nothing.json"));
  write(folder.path() / "half.json", "{\"model_type\": ");
  CHECK_THAT(test::message_of([&] { find_model((folder.path() / "half.json").string()); }),
             Catch::Contains("half.json:1:"));
  write(folder.path() / "list.json", "[1, 2]");
  CHECK_THAT(test::message_of([&] { find_model((folder.path() / "list.json").string()); }),
             Catch::Contains("list.json:1:1") && Catch::Contains("expected an object"));
}

}  // namespace dsim
