#include <catch2/catch.hpp>

#include "sim/base/json.h"
#include "tests/support/message_of.h"

using namespace dsim;
using dsim::test::message_of;

namespace {

std::string error_of(const std::string& text) {
  return message_of([&] { json::Document::parse(text, "f"); });
}

struct Case {
  std::string text, position, message;
};

}  // namespace

TEST_CASE("a mistake in the grammar is shown with line, caret and a plain sentence") {
  CHECK(error_of("{\n  \"nodes\": 8\n  \"kind\": \"ring\"\n}\n") ==
        "f:3:3: error: expected ',' or '}' to close the object of line 1, found '\"kind\"'\n"
        "    3 |   \"kind\": \"ring\"\n"
        "      |   ^~~~~~");
  CHECK(error_of("{\r\n\t\"nodes\": 08\r\n}\r\n") ==
        "f:2:11: error: expected a value; numbers have no leading zeros\n"
        "    2 | \t\"nodes\": 08\n"
        "      | \t         ^~");
}

TEST_CASE("each kind of mistake in the grammar has its sentence and place") {
  const Case cases[] = {
      {"", "f:1:1", "the text is empty; expected a JSON value"},
      {" \n\t", "f:1:1", "the text is empty; expected a JSON value"},
      {"[1,2", "f:1:5", "the text ends too early: expected ']' to close the array of line 1"},
      {"[\n{\"a\":1,\n", "f:2:8",
       "the text ends too early: expected '}' to close the object of line 2"},
      {"{\"a\"", "f:1:5", "the text ends too early: expected '}' to close the object of line 1"},
      {"{\"a\":", "f:1:6", "the text ends too early: expected '}' to close the object of line 1"},
      {"{\"a\":1", "f:1:7", "the text ends too early: expected '}' to close the object of line 1"},
      {"[\"abc", "f:1:6", "the text ends inside a string; expected '\"'"},
      {"[\"abc\n\"]", "f:1:6", "the string is not closed at the end of its line"},
      {"[tru", "f:1:2", "expected a value, found 'tru'"},
      {"[1,]", "f:1:4", "expected a value; a comma must not stand before the end"},
      {"{\"a\":1,}", "f:1:8", "expected a key; a comma must not stand before the end"},
      {"{\"a\" 1}", "f:1:6", "expected ':' after the key, found '1'"},
      {"[1 2]", "f:1:4", "expected ',' or ']' to close the array of line 1, found '2'"},
      {"[1}", "f:1:3", "expected ',' or ']' to close the array of line 1, found '}'"},
      {"{'a':1}", "f:1:2", "expected a key in double quotes"},
      {"{a:1}", "f:1:2", "expected a key in double quotes, found 'a'"},
      {"['a']", "f:1:2", "expected a value; strings stand in double quotes"},
      {"[1] [2]", "f:1:5", "expected the end of the text, found '['"},
      {"// x\n1", "f:1:1", "expected a value; JSON has no comments"},
      {"{// x\n}", "f:1:2", "expected a key; JSON has no comments"},
      {"[NaN]", "f:1:2", "expected a value; numbers must be finite"},
      {"[-Infinity]", "f:1:2", "expected a value; numbers must be finite"},
      {"[True]", "f:1:2", "expected a value; JSON writes true, false and null"},
      {"[1e999]", "f:1:2", "the number is too large (at most about 1.8e308)"},
      {"[1" + std::string(400, '0') + "]", "f:1:2",
       "the number is too large (at most about 1.8e308)"},
      {"[01]", "f:1:2", "expected a value; numbers have no leading zeros"},
      {"[1.]", "f:1:2", "expected a digit after the point or the exponent of a number"},
      {"[1e]", "f:1:2", "expected a digit after the point or the exponent of a number"},
      {"[.5]", "f:1:2", "expected a value, found '.5'"},
      {"[+1]", "f:1:2", "expected a value, found '+1'"},
      {"[-]", "f:1:2", "expected a value, found '-'"},
      {"[12abc]", "f:1:2", "expected a value, found '12abc'"},
      {"[\"\\ud83d\\ude00\\n\\ude00\"]", "f:1:17",
       "half of a surrogate pair; \\ud800 to \\udbff needs \\udc00 to \\udfff after it"},
      {"falses", "f:1:1", "expected a value, found 'falses'"},
      {"truex", "f:1:1", "expected a value, found 'truex'"},
      {"[\xe2\x80\x9c"
       "a\xe2\x80\x9d]",
       "f:1:2", "expected a value, found '\xe2\x80\x9c'"},
      {"[\"\\x\"]", "f:1:3",
       "unknown escape; JSON has \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\uXXXX"},
      {"[\"\\u12g4\"]", "f:1:3", "\\u needs four hexadecimal digits"},
      {"[\"\\ud800\"]", "f:1:3",
       "half of a surrogate pair; \\ud800 to \\udbff needs \\udc00 to \\udfff after it"},
      {"[\"a\x01\"]", "f:1:4", "control character 0x01 in a string; write it as \\u0001"},
      {std::string("[1,\0]", 5), "f:1:4", "a zero byte; this is not JSON text"},
      {std::string("[1]\0", 4), "f:1:4", "a zero byte; this is not JSON text"},
      {"{\"a\":1,\n \"a\":2}", "f:2:2", "duplicate key 'a' (first at line 1)"},
      {"{\"a\":1,\"\\u0061\":2}", "f:1:8", "duplicate key 'a' (first at line 1)"},
      {"[\"\xff\"]", "f:1:3", "invalid UTF-8; the file must be UTF-8 text"},
      {"[\"\xc3\"]", "f:1:3", "invalid UTF-8; the file must be UTF-8 text"},
      {"[\"\xed\xa0\x80\"]", "f:1:3", "invalid UTF-8; the file must be UTF-8 text"},
      {std::string("\xff\xfe[\0]\0", 6), "f:1:1", "invalid UTF-8; the file must be UTF-8 text"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.text);
    const std::string error = error_of(c.text);
    CHECK(error.substr(0, error.find('\n')) == c.position + ": error: " + c.message);
  }
}

TEST_CASE("nesting is allowed to 512 levels and refused beyond, however deep") {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  CHECK(error_of(nested(512)) == "no error");
  for (const std::string& text :
       {nested(513), nested(100'000), std::string(100'000, '['), std::string(5'000'000, '[')}) {
    const std::string error = error_of(text);
    CHECK(error.substr(0, error.find('\n')) == "f:1:513: error: nested deeper than 512 levels");
  }
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  const std::string error = error_of(objects);
  CHECK(error.substr(0, error.find('\n')) == "f:1:2561: error: nested deeper than 512 levels");
}

TEST_CASE("a mistake in a very long line shows its surroundings only") {
  const std::string error = error_of("[" + std::string(3'000'000, ' ') + "\x1b]");
  CHECK(error ==
        "f:1:3000002: error: expected a value, found '\\x1b'\n"
        "    1 | ..." +
            std::string(50, ' ') + "\xef\xbf\xbd]\n" + "      | " + std::string(53, ' ') + "^");
}
