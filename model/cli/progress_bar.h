#pragma once
#include <chrono>

namespace dsim {

/// A bar on standard error, on a terminal only, and only once a run has taken half a second.
class ProgressBar {
 public:
  explicit ProgressBar(bool wanted);
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  ~ProgressBar();  ///< wipes the line

  /// Shows that `fraction` (0..1) is done; draws at most ten times a second.
  void show(double fraction);

 private:
  using Clock = std::chrono::steady_clock;
  bool wanted_;
  bool drawn_ = false;
  Clock::time_point start_ = Clock::now(), last_ = start_;
};

}  // namespace dsim
