#pragma once
// Laying out UTF-8 text in columns for a terminal.
#include <string>
#include <string_view>
#include <vector>

namespace dsim {

/// Columns a text takes on a terminal: its code points, without colour escapes.
std::size_t display_width(std::string_view text);

std::string pad_right(std::string text, std::size_t width);
std::string pad_left(std::string text, std::size_t width);

/// A bar of `fraction` (clamped to 0..1) of `columns`, in eighths of a column: "███▍".
std::string bar(double fraction, std::size_t columns);

/// Joins items by `separator` in lines of at most `width` columns. The first line begins with
/// `head`, the others with spaces of the same width. An item longer than a line is broken at
/// spaces.
std::vector<std::string> wrap_items(std::string_view head, const std::vector<std::string>& items,
                                    std::string_view separator, std::size_t width);
/// The words of a sentence in such lines.
std::vector<std::string> wrap_text(std::string_view head, std::string_view text, std::size_t width);

/// What a colour means; the same everywhere (Okabe-Ito, as the nearest of the 256 terminal
/// colours).
enum class Ink { plain, strong, compute, communication, optimizer, bubble, data, fault, idle };
std::string inked(std::string text, Ink ink, bool colour);

/// Rows of cells as aligned columns, two spaces apart: those in `left` aligned left, the others
/// right. Lines have no spaces at the end.
std::string table(const std::vector<std::vector<std::string>>& rows,
                  const std::vector<std::size_t>& left = {});

}  // namespace dsim
