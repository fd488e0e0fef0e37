#include <catch2/catch.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include "sim/base/json.h"
#include "tests/support/message_of.h"
#include "tests/support/temporary_folder.h"

using namespace dsim;
using dsim::json::Document;
using dsim::test::message_of;

namespace {

std::string load(const std::filesystem::path& path) {
  return message_of([&] { Document::load(path); });
}

}  // namespace

TEST_CASE("a file is read whole and named in its errors") {
  const test::TemporaryFolder folder;
  const auto good = folder.write("good.json", "{\"a\": [1, 2, 3]}\n");
  CHECK(Document::load(good).root().members().size() == 1);
  const auto bad = folder.write("bad.json", "[1,\n");
  CHECK(load(bad) == bad.string() +
                         ":1:4: error: the text ends too early: expected ']' to close the array of "
                         "line 1\n    1 | [1,\n      |    ^");
  const auto large = folder.write("large.json", "[" + std::string(1'000'000, ' ') + "7]");
  CHECK(Document::load(large).root().elements().at(0).as_integer() == 7);
}

TEST_CASE("a file that cannot be read says why") {
  const test::TemporaryFolder folder;
  const std::string path = folder.path().string();
  CHECK(load(path + "/none.json") ==
        "error: cannot read '" + path + "/none.json': No such file or directory");
  CHECK(load(path) == "error: cannot read '" + path + "': it is a directory");
  const auto empty = folder.write("empty.json", "");
  CHECK(load(empty) ==
        empty.string() +
            ":1:1: error: the text is empty; expected a JSON value\n    1 | \n      | ^");
}

TEST_CASE("an unreadable file says why") {
  const test::TemporaryFolder folder;
  const auto file = folder.write("secret.json", "{}");
  REQUIRE(::chmod(file.c_str(), 0) == 0);
  if (::access(file.c_str(), R_OK) == 0) {
    WARN("this user may read everything; not tested");
    return;
  }
  CHECK(load(file) == "error: cannot read '" + file.string() + "': Permission denied");
}

TEST_CASE("a file of 2 GB is refused before it is read") {
  const test::TemporaryFolder folder;
  const auto file = folder.write("huge.json", "[");
  REQUIRE(::truncate(file.c_str(), 2'000'000'000) == 0);  // sparse: takes no space
  CHECK(load(file) == "error: cannot read '" + file.string() + "': larger than 64 MiB");
}

TEST_CASE("a pipe is read like a file") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  REQUIRE(::write(ends[1], "[42]", 4) == 4);
  ::close(ends[1]);
  const Document document = Document::load("/dev/fd/" + std::to_string(ends[0]));
  ::close(ends[0]);
  CHECK(document.root().elements().at(0).as_integer() == 42);
}
