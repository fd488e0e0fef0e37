#pragma once
#include <string>
#include <string_view>

namespace dsim::markdown {

/// A fraction as per cent with one digit; an en dash for NaN.
std::string percent(double fraction, bool with_sign = false);
/// Text inside a table cell.
std::string cell(std::string_view text);

}  // namespace dsim::markdown
