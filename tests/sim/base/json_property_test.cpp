#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "sim/base/json.h"

using namespace dsim;
using dsim::json::Document;
using dsim::json::Kind;
using dsim::json::Value;

namespace {

using Random = std::mt19937_64;

std::size_t below(Random& random, std::size_t n) { return random() % n; }

std::string random_string(Random& random) {
  static const char* const pieces[] = {"a",
                                       "Gb/s",
                                       "\\n",
                                       "\\u00e9",
                                       "\\ud83d\\ude00",
                                       "\xc3\xa9",
                                       "\xf0\x9f\x98\x80",
                                       "\\\\",
                                       "\\\"",
                                       " ",
                                       "{",
                                       "]",
                                       "\x7f"};
  std::string result = "\"";
  for (std::size_t i = below(random, 6); i > 0; --i)
    result += pieces[below(random, std::size(pieces))];
  return result + "\"";
}

std::string random_space(Random& random) {
  static const char* const spaces[] = {"", "", "", " ", "\n", "\t", "\r\n", "  "};
  return spaces[below(random, std::size(spaces))];
}

/// A random JSON text; keys carry a number, so that they differ.
std::string random_text(Random& random, int depth) {
  static const char* const scalars[] = {"true",
                                        "false",
                                        "null",
                                        "0",
                                        "-1",
                                        "3.25",
                                        "1e-3",
                                        "9223372036854775807",
                                        "123456789012345678901234567890"};
  const std::size_t choice = below(random, depth > 0 ? 4 : 2);
  if (choice == 0) return scalars[below(random, std::size(scalars))];
  if (choice == 1) return random_string(random);
  std::string result = choice == 2 ? "[" : "{";
  const std::size_t count = below(random, 5);
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) result += ",";
    result += random_space(random);
    if (choice == 3) {
      std::string key = random_string(random);
      key.insert(1, std::to_string(i));
      result += key + random_space(random) + ":" + random_space(random);
    }
    result += random_text(random, depth - 1) + random_space(random);
  }
  return result + (choice == 2 ? "]" : "}");
}

/// Cuts, flips, doubles or swaps bytes.
std::string mutated(std::string text, Random& random) {
  static const char bytes[] = "\0\x01\x1b\"\\{}[],:0-.eE+tfn \n\r\xc3\xa9\xff\xef";
  for (std::size_t i = 1 + below(random, 3); i > 0 && !text.empty(); --i) {
    const std::size_t at = below(random, text.size());
    switch (below(random, 5)) {
      case 0:
        text.resize(at);
        break;
      case 1:
        text[at] = static_cast<char>(text[at] ^ (1 << below(random, 8)));
        break;
      case 2:
        text[at] = bytes[below(random, std::size(bytes) - 1)];
        break;
      case 3:
        text.insert(at, text.substr(at, below(random, 8)));
        break;
      default:
        text.erase(at, 1 + below(random, 3));
        break;
    }
  }
  return text;
}

/// Reads everything, so that every position and string is touched.
std::size_t visit(Value value) {
  std::size_t count = 1 + static_cast<std::size_t>(value.position().line > 0);
  if (value.kind() == Kind::array)
    for (const Value element : value.elements()) count += visit(element);
  if (value.kind() == Kind::object)
    for (const auto& [key, member] : value.members()) count += key.size() + visit(member);
  if (value.kind() == Kind::string) count += value.as_string().size();
  return count;
}

bool other_parser_accepts(const std::string& text) {
  rapidjson::MemoryStream stream(text.data(), text.size());
  rapidjson::Reader reader;
  rapidjson::BaseReaderHandler<> ignore;
  const auto result = reader.Parse<rapidjson::kParseValidateEncodingFlag>(stream, ignore);
  return !result.IsError() && stream.Tell() == text.size();
}

}  // namespace

TEST_CASE("every JSON text is read, and read as it was written") {
  const unsigned seed = GENERATE(1u, 2u, 3u, 4u);
  CAPTURE(seed);
  Random random(seed);
  for (int i = 0; i < 500; ++i) {
    const std::string text = random_text(random, 5);
    CAPTURE(text);
    REQUIRE(other_parser_accepts(text));
    const Document document = Document::parse(text, "random.json");
    REQUIRE(visit(document.root()) > 0);
  }
}

TEST_CASE("a damaged JSON text is read or refused with a position, and nothing else happens") {
  const unsigned seed = GENERATE(1u, 2u, 3u, 4u);
  CAPTURE(seed);
  Random random(seed);
  int refused = 0;
  for (int i = 0; i < 3000; ++i) {
    const std::string text = mutated(random_text(random, 4), random);
    CAPTURE(text);
    const bool valid = other_parser_accepts(text);
    try {
      const Document document = Document::parse(text, "damaged.json");
      REQUIRE(visit(document.root()) > 0);
      REQUIRE((valid || text.starts_with("\xef\xbb\xbf")));
    } catch (const InputError& error) {
      ++refused;
      const std::string message = error.what();
      CAPTURE(message);
      REQUIRE(error.position().line >= 1);
      REQUIRE(message.starts_with("damaged.json:"));
      REQUIRE(message.find("not valid JSON:") == std::string::npos);  // always a plain sentence
      REQUIRE(std::none_of(message.begin(), message.end(), [](char c) {
        return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t';
      }));
      const bool stricter = message.find("duplicate key") != std::string::npos ||
                            message.find("surrogate") != std::string::npos;
      REQUIRE(valid <= stricter);
    }
  }
  CHECK(refused > 1000);
}
