#pragma once
// With this header failed checks print "12.5 us" and "25 MB" instead of "{?}".
#include <catch2/catch.hpp>
#include <string>

#include "sim/base/quantity.h"
#include "sim/base/units.h"

namespace Catch {

/// Exact picoseconds beside the rounded time, because a failure may hide in the last digit.
template <>
struct StringMaker<dsim::Time> {
  static std::string convert(dsim::Time time) {
    return dsim::format_time(time.seconds()) + " (" + std::to_string(time.ps) + " ps)";
  }
};

template <>
struct StringMaker<dsim::Bytes> {
  static std::string convert(dsim::Bytes size) {
    return dsim::format_bytes(static_cast<double>(size.count)) + " (" + std::to_string(size.count) +
           " B)";
  }
};

template <>
struct StringMaker<dsim::Bandwidth> {
  static std::string convert(dsim::Bandwidth rate) {
    return dsim::format_bandwidth_bytes(rate) + " (" +
           StringMaker<double>::convert(rate.bytes_per_second) + " B/s)";
  }
};

}  // namespace Catch
