#include "sim/base/data_files.h"

#include <stdlib.h>

#include <catch2/catch.hpp>
#include <optional>
#include <string>

#include "tests/support/message_of.h"
#include "tests/support/temporary_folder.h"

using namespace dsim;
using dsim::test::message_of;
namespace fs = std::filesystem;

namespace {

/// Sets the variable and the working directory for a test and restores both.
class DataWorld {
 public:
  DataWorld() : before_(fs::current_path()) {
    if (const char* value = ::getenv("DSIM_DATA_DIR")) variable_ = value;
    fs::create_directories(data / "topologies");
    fs::create_directories(work);
    fs::current_path(work);
    ::setenv("DSIM_DATA_DIR", data.c_str(), 1);
  }
  DataWorld(const DataWorld&) = delete;
  DataWorld& operator=(const DataWorld&) = delete;
  ~DataWorld() {
    fs::current_path(before_);
    variable_ ? ::setenv("DSIM_DATA_DIR", variable_->c_str(), 1) : ::unsetenv("DSIM_DATA_DIR");
  }

  test::TemporaryFolder folder;
  fs::path data = folder.path() / "data", work = folder.path() / "work";

 private:
  fs::path before_;
  std::optional<std::string> variable_;
};

std::string find(std::string_view name) { return find_data_file(name, "topologies").string(); }

}  // namespace

TEST_CASE("a bare name is looked for in the working directory, then among the data") {
  const DataWorld world;
  world.folder.write("data/topologies/pod.json", "{}");
  CHECK(find("pod") == (world.data / "topologies/pod.json").string());
  CHECK(find("pod.json") == (world.data / "topologies/pod.json").string());
  fs::create_directory(world.work / "pod");  // a folder of that name is not the file
  CHECK(find("pod") == (world.data / "topologies/pod.json").string());
  world.folder.write("work/pod.json", "{}");
  CHECK(find("pod") == "pod.json");
  CHECK(find("pod.json") == "pod.json");
}

TEST_CASE("a name with a slash is taken literally") {
  const DataWorld world;
  world.folder.write("data/topologies/pod.json", "{}");
  CHECK(message_of([] { find("./pod.json"); }) == "error: cannot read './pod.json': no such file");
  world.folder.write("work/mine/pod.json", "{}");
  CHECK(find("mine/pod.json") == "mine/pod.json");
  CHECK(find("./mine/pod") == "./mine/pod.json");
  CHECK(message_of([] { find("mine/"); }) == "error: cannot read 'mine/': it is a directory");
}

TEST_CASE("a name that is not found lists the shipped ones and the nearest") {
  const DataWorld world;
  CHECK(message_of([] { find("pod"); }) ==
        "error: no file 'pod' in the working directory or among the shipped topologies (none is "
        "known)");
  world.folder.write("data/topologies/dgx8x64.json", "{}");
  world.folder.write("data/topologies/ring4.json", "{}");
  world.folder.write("data/topologies/README.md", "");
  CHECK(message_of([] { find("dgx8x46.json"); }) ==
        "error: no file 'dgx8x46.json' in the working directory or among the shipped topologies "
        "(did you mean 'dgx8x64'? known: dgx8x64, ring4)");
  CHECK(message_of([] { find(""); }) == "error: the name of a file in topologies is empty");
  CHECK(message_of([] { find(std::string_view("ring4\0x", 7)); }) ==
        "error: no file can be named 'ring4\\x00x'");
  CHECK(message_of([] { find(std::string(100'000, 'x')); }).size() < 500);
}

TEST_CASE("a data folder that does not exist is named") {
  const DataWorld world;
  ::setenv("DSIM_DATA_DIR", "/no/such/folder", 1);
  CHECK(message_of([] { data_directory(); }) ==
        "error: DSIM_DATA_DIR is '/no/such/folder', which is not a folder");
}

TEST_CASE("in a build tree the data are those of the sources") {
  const DataWorld world;
  ::unsetenv("DSIM_DATA_DIR");
  if (!fs::exists(fs::path(__FILE__).parent_path() / "../../../topologies")) return;
  CHECK(fs::exists(data_directory() / "topologies"));
  CHECK(fs::exists(data_directory() / "sim"));
}
