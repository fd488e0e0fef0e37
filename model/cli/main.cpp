// dsim: the command line.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "model/cli/command_line.h"
#include "model/cli/standard_output.h"
#include "sim/base/error.h"

namespace {

int report(int status, const std::string& message) {
  std::fflush(stdout);
  std::fputs((message + "\n").c_str(), stderr);
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  dsim::prepare_standard_streams();
  try {
    dsim::run_command_line(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
    dsim::finish_standard_output();
    return 0;
  } catch (const dsim::InputError& error) {
    return report(2, error.what());
  } catch (const dsim::OutputError& error) {
    return error.reader_left ? 1 : report(1, fmt::format("error: {}", error.what()));
  } catch (const std::bad_alloc&) {
    return report(1, "error: out of memory");
  } catch (const std::logic_error& error) {
    return report(1, fmt::format("error: a fault in dsim itself: {}", error.what()));
  } catch (const std::exception& error) {
    return report(1, fmt::format("error: {}", error.what()));
  }
}
