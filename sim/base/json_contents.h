#pragma once
// The inside of a json::Document: shared by the files json*.cpp alone.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/json.h"

namespace dsim::json {

/// One value, in the order of the text: an object is followed by key, value, key, value, ...; an
/// array by its elements. Keys are string nodes.
struct Node {
  Kind kind = Kind::null;
  std::uint32_t offset = 0;  ///< first byte in the text
  union {
    std::int64_t integer;
    double number;
    bool boolean;
    struct {
      std::uint32_t begin, length;  ///< in Contents::strings
    } string;
    struct {
      std::uint32_t count;  ///< elements or members
      std::uint32_t next;   ///< index of the node after the whole container
    } container;
  };
};

/// Text and nodes. Offsets fit 32 bits because texts are at most `largest_text` bytes.
struct Contents {
  std::string name, text;
  std::string strings;                     ///< all strings, unescaped, one after the other
  std::vector<std::uint32_t> line_starts;  ///< offset of each line
  std::vector<Node> nodes;                 ///< the root first

  TextPosition position(std::size_t offset) const;
  std::string_view line_at(std::size_t offset) const;   ///< without its line end
  std::string_view token_at(std::size_t offset) const;  ///< string, number or word; else one character
  [[noreturn]] void fail(std::size_t offset, std::string_view message) const;
};

constexpr std::size_t largest_text = std::size_t{64} << 20;
constexpr int deepest_nesting = 512;

/// Reads `contents.text` into `contents.nodes`. Throws InputError.
void read_nodes(Contents& contents);

/// A mistake in JSON's grammar, in words.
struct SyntaxMistake {
  std::size_t offset = 0;
  std::string message;
};

/// Explains why `contents.text` is not JSON; `fallback` serves where no better sentence is found.
SyntaxMistake explain_syntax(const Contents& contents, std::string_view fallback);

}  // namespace dsim::json
