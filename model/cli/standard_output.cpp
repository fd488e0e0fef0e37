#include "model/cli/standard_output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <system_error>

namespace dsim {

OutputError::OutputError(int reason)
    : std::runtime_error(fmt::format("cannot write standard output: {}",
                                     std::generic_category().message(reason == 0 ? EIO : reason))),
      reader_left(reason == EPIPE) {}

void prepare_standard_streams() {
  // A descriptor opened for reading only: writing to it fails, as it should.
  for (int descriptor = 0; descriptor <= 2; ++descriptor)
    if (::fcntl(descriptor, F_GETFD) < 0 && ::open("/dev/null", O_RDONLY) != descriptor) return;
  std::signal(SIGPIPE, SIG_IGN);
}

void print(std::string_view text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) throw OutputError(errno);
}

void finish_standard_output() {
  errno = 0;
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) throw OutputError(errno);
}

}  // namespace dsim
