// simdjson says quickly that a text is not JSON, but seldom where. Then, and only then, RapidJSON
// reads it again and tells the place and the kind of the mistake.
#include <fmt/format.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <algorithm>
#include <charconv>

#include "sim/base/json_contents.h"
#include "sim/base/source_line.h"

namespace dsim::json {
namespace {

namespace rj = rapidjson;

constexpr const char* half_pair =
    "half of a surrogate pair; \\ud800 to \\udbff needs \\udc00 to \\udfff after it";

/// Follows the reader and remembers which objects and arrays are open.
struct OpenContainers : rj::BaseReaderHandler<rj::UTF8<>, OpenContainers> {
  struct Container {
    char bracket;
    std::size_t offset;
  };
  const rj::MemoryStream& stream;
  std::vector<Container> open;

  explicit OpenContainers(const rj::MemoryStream& s) : stream(s) {}
  bool start(char bracket) {
    open.push_back({bracket, stream.Tell() - 1});
    return static_cast<int>(open.size()) <= deepest_nesting;
  }
  bool StartObject() { return start('{'); }
  bool StartArray() { return start('['); }
  bool EndObject(rj::SizeType) { return open.pop_back(), true; }
  bool EndArray(rj::SizeType) { return open.pop_back(), true; }
};

std::string close_expected(const Contents& contents, const OpenContainers& containers) {
  if (containers.open.empty()) return "a value";
  const auto [bracket, offset] = containers.open.back();
  return fmt::format("'{}' to close the {} of line {}", bracket == '{' ? '}' : ']',
                     bracket == '{' ? "object" : "array", contents.position(offset).line);
}

/// The start of the word or number that ends at or covers `offset`.
std::size_t token_start(const std::string& text, std::size_t offset) {
  const auto in_word = [&](std::size_t i) {
    const char c = text[i];
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '+';
  };
  while (offset > 0 && in_word(offset - 1)) --offset;
  return offset;
}

std::string explain_value(std::string_view token) {
  if (token == "}" || token == "]")
    return "expected a value; a comma must not stand before the end";
  if (token == "'") return "expected a value; strings stand in double quotes";
  if (token == "/" || token == "#") return "expected a value; JSON has no comments";
  if (token == "NaN" || token == "nan" || token.ends_with("Infinity") || token.ends_with("inf"))
    return "expected a value; numbers must be finite";
  if (token == "True" || token == "False" || token == "None" || token == "TRUE" || token == "FALSE")
    return "expected a value; JSON writes true, false and null";
  if (token.starts_with("0") && token.size() > 1)
    return "expected a value; numbers have no leading zeros";
  return fmt::format("expected a value, found '{}'", excerpt(token, 30));
}

std::string explain_name(std::string_view token) {
  if (token == "}") return "expected a key; a comma must not stand before the end";
  if (token == "/" || token == "#") return "expected a key; JSON has no comments";
  if (token == "'") return "expected a key in double quotes";
  return fmt::format("expected a key in double quotes, found '{}'", excerpt(token, 30));
}

/// Mistakes inside a string: `offset` is in or behind it.
std::string explain_string(const std::string& text, std::size_t offset) {
  const char c = offset < text.size() ? text[offset] : '"';
  if (c == '\n' || c == '\r') return "the string is not closed at the end of its line";
  if (static_cast<unsigned char>(c) < 0x20)
    return fmt::format("control character 0x{:02x} in a string; write it as \\u{:04x}",
                       static_cast<int>(c), static_cast<int>(c));
  return "invalid UTF-8";
}

/// The first byte that is no UTF-8, if any.
std::size_t invalid_byte(const std::string& text) {
  std::size_t at = 0;
  while (at < text.size()) {
    rj::MemoryStream stream(text.data() + at, text.size() - at);
    unsigned code = 0;
    if (static_cast<unsigned char>(text[at]) < 0x80) {
      ++at;
    } else if (rj::UTF8<>::Decode(stream, &code)) {
      at += stream.Tell();
    } else {
      return at;
    }
  }
  return std::string::npos;
}

/// The first \u escape that is the second half of a surrogate pair without its first half, in text
/// that is otherwise JSON: simdjson refuses it, RapidJSON does not.
std::size_t lone_low_surrogate(const std::string& text) {
  bool after_high = false;
  for (std::size_t at = text.find('\\'); at != std::string::npos; at = text.find('\\', at)) {
    if (text[at + 1] != 'u') {
      at += 2;
      continue;
    }
    unsigned code = 0;
    std::from_chars(text.data() + at + 2, text.data() + at + 6, code, 16);
    if (code >= 0xdc00 && code <= 0xdfff && !after_high) return at;
    after_high = code >= 0xd800 && code <= 0xdbff;  // its other half follows at once
    at += 6;
  }
  return std::string::npos;
}

}  // namespace

SyntaxMistake explain_syntax(const Contents& contents, std::string_view fallback) {
  const std::string& text = contents.text;
  if (const std::size_t at = invalid_byte(text); at != std::string::npos)
    return {at, "invalid UTF-8; the file must be UTF-8 text"};
  rj::MemoryStream stream(text.data(), text.size());
  OpenContainers containers(stream);
  rj::Reader reader;
  const rj::ParseResult result =
      reader.Parse<rj::kParseValidateEncodingFlag | rj::kParseFullPrecisionFlag>(stream,
                                                                                 containers);
  std::size_t offset = std::min(result.IsError() ? result.Offset() : stream.Tell(), text.size());
  if (offset < text.size() && text[offset] == '\0')
    return {offset, "a zero byte; this is not JSON text"};

  const std::size_t last = text.find_last_not_of(" \t\r\n");
  if (last == std::string::npos) return {0, "the text is empty; expected a JSON value"};
  const bool at_end = offset > last;
  if (at_end) offset = last + 1;
  const auto end_sentence = [&] {
    return "the text ends too early: expected " + close_expected(contents, containers);
  };
  if (const std::size_t start = token_start(text, offset);
      start < offset && contents.token_at(start).size() > offset - start)
    return {start, explain_value(contents.token_at(start))};  // "12abc", "01"
  const std::string_view here = contents.token_at(offset);
  const std::string found = excerpt(here, 30);

  switch (result.Code()) {
    case rj::kParseErrorDocumentRootNotSingular:
      return {offset, fmt::format("expected the end of the text, found '{}'", found)};
    case rj::kParseErrorValueInvalid: {
      if (at_end && token_start(text, offset) == offset) return {offset, end_sentence()};
      const std::size_t start = token_start(text, offset);
      return {start, explain_value(contents.token_at(start))};
    }
    case rj::kParseErrorObjectMissName:
      return {offset, at_end ? end_sentence() : explain_name(here)};
    case rj::kParseErrorObjectMissColon:
      return {offset, at_end ? end_sentence()
                             : fmt::format("expected ':' after the key, found '{}'", found)};
    case rj::kParseErrorObjectMissCommaOrCurlyBracket:
    case rj::kParseErrorArrayMissCommaOrSquareBracket:
      return {offset, at_end ? end_sentence()
                             : fmt::format("expected ',' or {}, found '{}'",
                                           close_expected(contents, containers), found)};
    case rj::kParseErrorStringUnicodeEscapeInvalidHex:
      return {offset, "\\u needs four hexadecimal digits"};
    case rj::kParseErrorStringUnicodeSurrogateInvalid:
      return {offset, half_pair};
    case rj::kParseErrorStringEscapeInvalid:  // of raw control characters too
      if (text[offset] != '\\') return {offset, explain_string(text, offset)};
      return {offset, "unknown escape; JSON has \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\uXXXX"};
    case rj::kParseErrorStringMissQuotationMark:
      return {offset, "the text ends inside a string; expected '\"'"};
    case rj::kParseErrorStringInvalidEncoding:
      return {offset, explain_string(text, offset)};
    case rj::kParseErrorNumberTooBig: {
      const std::size_t start = token_start(text, offset);
      return {start, "the number is too large (at most about 1.8e308)"};
    }
    case rj::kParseErrorNumberMissFraction:
    case rj::kParseErrorNumberMissExponent: {
      const std::size_t start = token_start(text, offset);
      return {start, "expected a digit after the point or the exponent of a number"};
    }
    case rj::kParseErrorTermination:
      return {containers.open.back().offset,
              fmt::format("nested deeper than {} levels", deepest_nesting)};
    case rj::kParseErrorNone:
      if (const std::size_t at = lone_low_surrogate(text); at != std::string::npos)
        return {at, half_pair};
      [[fallthrough]];
    default:
      return {0, fmt::format("not valid JSON: {}", fallback)};
  }
}

}  // namespace dsim::json
