#include "model/cli/standard_output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <system_error>

namespace dsim {

void prepare_standard_streams() {
  // A descriptor opened for reading only: writing to it fails, as it should.
  for (int descriptor = 0; descriptor <= 2; ++descriptor)
    if (::fcntl(descriptor, F_GETFD) < 0 && ::open("/dev/null", O_RDONLY) != descriptor) return;
  std::signal(SIGPIPE, SIG_IGN);
}

void print(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

bool finish_standard_output() {
  errno = 0;
  std::cout.flush();
  const bool arrived = std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good();
  if (arrived) return true;
  const int reason = errno;
  if (reason != EPIPE)
    std::fputs(fmt::format("error: cannot write standard output: {}\n",
                           std::generic_category().message(reason == 0 ? EIO : reason))
                   .c_str(),
               stderr);
  return false;
}

}  // namespace dsim
