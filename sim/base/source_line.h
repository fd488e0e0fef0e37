#pragma once
// Showing a user's own text on a terminal: nothing of it may act on the terminal.
#include <string>
#include <string_view>

namespace dsim {

/// `text` with control and direction characters and invalid UTF-8 replaced by visible escapes
/// ("\x1b"); line feeds are escaped too.
std::string printable(std::string_view text);

/// Like `printable`, cut to at most `limit` characters ("..." at the end).
std::string excerpt(std::string_view text, std::size_t limit = 60);

/// Two lines: the source line behind its number, and ^~~~ under `length` characters from `column`
/// (from 1, in characters). Long lines are cut to a window around the mark; tabs stay aligned.
std::string marked_line(std::string_view source_line, int line, int column, int length);

/// The number of characters (code points; an invalid byte counts one) of UTF-8 text.
int character_count(std::string_view text);

}  // namespace dsim
