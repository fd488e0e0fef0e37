#include "sim/base/output_file.h"

#include <stdlib.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <stdexcept>

#include "sim/base/error.h"

using namespace dsim;
namespace fs = std::filesystem;

namespace {

struct TemporaryDirectory {
  fs::path path;
  TemporaryDirectory() {
    std::string name = (fs::temp_directory_path() / "dsim-test-XXXXXX").string();
    path = ::mkdtemp(name.data());
  }
  ~TemporaryDirectory() { fs::remove_all(path); }
  std::size_t entries() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(path), fs::directory_iterator()));
  }
};

std::string contents(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("An output file appears whole and leaves no temporary") {
  const TemporaryDirectory directory;
  const OutputFile file("--trace", directory.path / "step.json");
  CHECK(directory.entries() == 0);
  file.write([](std::ostream& out) { out << "first"; });
  file.write([](std::ostream& out) { out << "second"; });
  CHECK(contents(file.path()) == "second");
  CHECK(directory.entries() == 1);
}

TEST_CASE("A failure while writing leaves the old file as it was") {
  const TemporaryDirectory directory;
  const OutputFile file("--csv", directory.path / "points.csv");
  file.write([](std::ostream& out) { out << "old"; });
  CHECK_THROWS_AS(file.write([](std::ostream& out) {
    out << "half of the n";
    throw std::runtime_error("stopped");
  }),
                  std::runtime_error);
  CHECK_THROWS_AS(file.write([](std::ostream& out) { out.setstate(std::ios::badbit); }),
                  std::runtime_error);
  CHECK(contents(file.path()) == "old");
  CHECK(directory.entries() == 1);
}

TEST_CASE("A path that cannot be written is refused before any work") {
  const TemporaryDirectory directory;
  CHECK_THROWS_AS(OutputFile("--trace", directory.path), InputError);
  CHECK_THROWS_AS(OutputFile("--trace", ""), InputError);
  CHECK_THROWS_AS(OutputFile("--trace", directory.path / "missing" / "step.json"), InputError);
  CHECK_THROWS_WITH(OutputFile("--trace", "/proc/step.json"),
                    Catch::StartsWith("error: --trace cannot write /proc/step.json: "));
}

TEST_CASE("A symbolic link keeps pointing at the file that is written") {
  const TemporaryDirectory directory;
  const fs::path target = directory.path / "target.json", link = directory.path / "link.json";
  std::ofstream(target) << "old";
  fs::create_symlink(target, link);
  OutputFile("--trace", link).write([](std::ostream& out) { out << "new"; });
  CHECK(fs::is_symlink(link));
  CHECK(contents(target) == "new");
}

TEST_CASE("A device is written directly, and a full one is reported") {
  OutputFile("--csv", "/dev/null").write([](std::ostream& out) { out << "gone"; });
  CHECK(fs::is_character_file("/dev/null"));
  if (fs::exists("/dev/full"))
    CHECK_THROWS_AS(OutputFile("--csv", "/dev/full").write([](std::ostream& out) { out << "x"; }),
                    std::runtime_error);
}
