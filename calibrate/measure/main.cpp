// dsim-calibrate: measures the machine it runs on. Exit status: 0 done, 2 wrong use, 3 no GPU or no
// driver, 1 any other failure.
#include <CLI/CLI.hpp>

#include <cstdio>

#include "calibrate/measure/device_facts.h"
#include "calibrate/measure/json_lines.h"

namespace dsim {
namespace {

void print(const std::string& line) { std::printf("%s\n", line.c_str()); }

/// The runtime reports a missing driver as version 0.
bool driver_found() { return read_cuda_versions().driver != 0; }

void print_facts() {
  const CudaVersions versions = read_cuda_versions();
  const std::vector<DeviceFacts> devices = read_device_facts();
  print(json_line(versions));
  for (const DeviceFacts& facts : devices) print(json_line(facts));
  for (const PeerFacts& facts : read_peer_facts(static_cast<int>(devices.size())))
    print(json_line(facts));
}

}  // namespace
}  // namespace dsim

int main(int argc, char** argv) {
  CLI::App app{"Measures the GPUs of this machine.", "dsim-calibrate"};
  app.set_version_flag("--version", "dsim-calibrate " DSIM_VERSION);
  app.require_subcommand(1);
  app.add_subcommand("facts",
                     "Print what the CUDA runtime says of each GPU and pair, as JSON lines")
      ->callback(dsim::print_facts);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const dsim::CudaError& error) {
    if (error.no_device()) {
      std::fprintf(stderr, "error: no usable GPU%s: %s\nNothing to measure on this machine.\n",
                   dsim::driver_found() ? "" : ", no NVIDIA driver", error.what());
      return 3;
    }
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
  return 0;
}
