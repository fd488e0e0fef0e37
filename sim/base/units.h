#pragma once
// The only place where raw numbers and units meet.
#include <cmath>
#include <compare>
#include <cstdint>
#include <limits>

namespace dsim {

/// A point in simulated time or a duration: int64 picoseconds (range 106 days).
struct Time {
  std::int64_t ps = 0;

  /// Rounds up, so that no work is free. Requires a finite value within range.
  static Time from_seconds(double seconds) {
    return Time{static_cast<std::int64_t>(std::ceil(seconds * 1e12 - 1e-6))};
  }
  static constexpr Time max() { return Time{std::numeric_limits<std::int64_t>::max()}; }
  constexpr double seconds() const { return static_cast<double>(ps) * 1e-12; }
  auto operator<=>(const Time&) const = default;
  constexpr Time& operator+=(Time other) { ps += other.ps; return *this; }
  constexpr Time& operator-=(Time other) { ps -= other.ps; return *this; }
};
constexpr Time operator+(Time a, Time b) { return Time{a.ps + b.ps}; }
constexpr Time operator-(Time a, Time b) { return Time{a.ps - b.ps}; }
constexpr Time operator*(std::int64_t n, Time t) { return Time{n * t.ps}; }

/// A size in bytes.
struct Bytes {
  std::int64_t count = 0;
  auto operator<=>(const Bytes&) const = default;
  constexpr Bytes& operator+=(Bytes other) { count += other.count; return *this; }
};
constexpr Bytes operator+(Bytes a, Bytes b) { return Bytes{a.count + b.count}; }
constexpr Bytes operator-(Bytes a, Bytes b) { return Bytes{a.count - b.count}; }

/// A rate in bytes per second.
struct Bandwidth {
  double bytes_per_second = 0;
  auto operator<=>(const Bandwidth&) const = default;
};

/// A number of floating-point operations (a multiply-add counts two).
struct Flops {
  double count = 0;
  auto operator<=>(const Flops&) const = default;
};

/// Time for `size` at `rate`, rounded up. Requires rate > 0.
inline Time transfer_time(Bytes size, Bandwidth rate) {
  return Time::from_seconds(static_cast<double>(size.count) / rate.bytes_per_second);
}

inline namespace literals {
constexpr Time operator""_ps(unsigned long long n) { return Time{static_cast<std::int64_t>(n)}; }
constexpr Time operator""_ns(unsigned long long n) { return Time{static_cast<std::int64_t>(n) * 1'000}; }
constexpr Time operator""_us(unsigned long long n) { return Time{static_cast<std::int64_t>(n) * 1'000'000}; }
constexpr Time operator""_ms(unsigned long long n) { return Time{static_cast<std::int64_t>(n) * 1'000'000'000}; }
constexpr Time operator""_s(unsigned long long n) { return Time{static_cast<std::int64_t>(n) * 1'000'000'000'000}; }
constexpr Bytes operator""_B(unsigned long long n) { return Bytes{static_cast<std::int64_t>(n)}; }
constexpr Bytes operator""_KiB(unsigned long long n) { return Bytes{static_cast<std::int64_t>(n) << 10}; }
constexpr Bytes operator""_MiB(unsigned long long n) { return Bytes{static_cast<std::int64_t>(n) << 20}; }
constexpr Bytes operator""_GiB(unsigned long long n) { return Bytes{static_cast<std::int64_t>(n) << 30}; }
constexpr Bandwidth operator""_GBps(unsigned long long n) { return Bandwidth{static_cast<double>(n) * 1e9}; }
constexpr Bandwidth operator""_GBps(long double n) { return Bandwidth{static_cast<double>(n) * 1e9}; }
constexpr Bandwidth operator""_Gbps(unsigned long long n) { return Bandwidth{static_cast<double>(n) * 1.25e8}; }
}  // namespace literals

}  // namespace dsim
