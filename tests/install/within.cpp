// dsim_within SECONDS BYTES COMMAND...: runs the command; fails if it fails, takes longer by the
// clock or had more memory resident at its peak. The best of three counts, since the machine may be
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
  if (argc < 4) return 2;
  const double seconds = std::atof(argv[1]);
  const double bytes = std::atof(argv[2]);
  for (int attempt = 0; attempt < 3; ++attempt) {
    const Usage usage = run(argv + 3);
    std::printf("\n%.3f s (limit %g s), %.1f MB (limit %g MB)\n", usage.seconds, seconds,
                usage.bytes / 1e6, bytes / 1e6);
    if (!usage.succeeded) return 1;
    if (usage.seconds <= seconds && usage.bytes <= bytes) return 0;
  }
  return 1;
}
