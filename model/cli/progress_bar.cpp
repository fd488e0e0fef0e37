#include "model/cli/progress_bar.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "model/simulate/text_layout.h"

namespace dsim {

ProgressBar::ProgressBar(bool wanted) : wanted_(wanted && ::isatty(STDERR_FILENO) == 1) {}

ProgressBar::~ProgressBar() {
  if (drawn_) std::fputs("\r\x1b[K", stderr);
}

void ProgressBar::show(double fraction) {
  using namespace std::chrono_literals;
  const Clock::time_point now = Clock::now();
  if (!wanted_ || now - start_ < 500ms || (drawn_ && now - last_ < 100ms)) return;
  drawn_ = true;
  last_ = now;
  constexpr std::size_t columns = 40;
  const double done = std::clamp(fraction, 0.0, 1.0);
  std::fputs(fmt::format("\r\x1b[K{} {:3.0f} %", pad_right(bar(done, columns), columns), done * 100)
                 .c_str(),
             stderr);
  std::fflush(stderr);
}

}  // namespace dsim
