// dsim_within BYTES COMMAND...: runs the command; fails if it fails or had more memory resident at
// its peak. Prints the time, which `make bench` judges: a test does not, since the machine may be
// busy.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace {

struct Usage {
  bool succeeded = false;
  double seconds = 0;
  double bytes = 0;
};

Usage run(char** command) {
  const auto start = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child == 0) {
    execv(command[0], command);
    std::perror(command[0]);
    _exit(127);
  }
  int status = 0;
  rusage usage{};
  if (child < 0 || wait4(child, &status, 0, &usage) != child) return {};
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  return {WIFEXITED(status) && WEXITSTATUS(status) == 0, elapsed.count(),
          1024.0 * static_cast<double>(usage.ru_maxrss)};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const double bytes = std::atof(argv[1]);
  const Usage usage = run(argv + 2);
  std::printf("\n%.3f s, %.1f MB (limit %g MB)\n", usage.seconds, usage.bytes / 1e6, bytes / 1e6);
  return usage.succeeded && usage.bytes <= bytes ? 0 : 1;
}
