#include "sim/base/json.h"

#include <catch2/catch.hpp>
#include <limits>

#include "tests/support/message_of.h"
#include "tests/support/printing.h"

using namespace dsim;
using dsim::json::Document;
using dsim::json::Kind;
using dsim::json::Value;
using dsim::test::message_of;

namespace {

Document parse(std::string text) { return Document::parse(std::move(text), "a.json"); }

/// The message when `read` is applied to the one element of the array `[text]`.
template <class Read>
std::string message_at(const std::string& text, Read read) {
  const Document document = parse("[" + text + "]");
  return message_of([&] { read(document.root().elements().at(0)); });
}

/// What message_at gives for a mistake that covers the whole element.
std::string whole(const std::string& text, const std::string& message) {
  return "a.json:1:2: error: " + message + "\n    1 | [" + text + "]\n      |  ^" +
         std::string(text.size() - 1, '~');
}

}  // namespace

TEST_CASE("JSON values keep kind, content and order") {
  const Document document =
      parse(R"({"b": [1, -2.5, "x\u00e9\n", true, null], "a": {"k": []}, "": -0})");
  const auto members = document.root().members();
  REQUIRE(members.size() == 3);
  CHECK(members[0].first == "b");
  CHECK(members[1].first == "a");
  CHECK(members[2].first == "");
  const auto elements = members[0].second.elements();
  REQUIRE(elements.size() == 5);
  CHECK(elements[0].as_integer() == 1);
  CHECK(elements[0].as_number() == 1.0);
  CHECK(elements[1].as_number() == -2.5);
  CHECK(elements[2].as_string() == "x\xc3\xa9\n");
  CHECK(elements[3].as_bool());
  CHECK(elements[4].kind() == Kind::null);
  CHECK(members[1].second.members().at(0).second.elements().empty());
  CHECK(members[2].second.as_integer() == 0);
}

TEST_CASE("every value knows its line and column") {
  const Document document = parse("{\r\n\t\"\xc3\xbc\": 1,\r\n  \"b\": [\r\n    7, \"x\"]}\r\n");
  const auto members = document.root().members();
  CHECK(document.root().position().line == 1);
  CHECK(document.root().position().column == 1);
  CHECK(members[0].second.position().line == 2);
  CHECK(members[0].second.position().column == 7);  // the tab and the umlaut count one each
  const auto elements = members[1].second.elements();
  CHECK(elements[1].position().line == 4);
  CHECK(elements[1].position().column == 8);
  CHECK(message_of([&] { elements[1].fail("wrong"); }) ==
        "a.json:4:8: error: wrong\n"
        "    4 |     7, \"x\"]}\n"
        "      |        ^~~");
  CHECK(message_of([&] { members[1].second.fail_at_key("wrong key"); }) ==
        "a.json:3:3: error: wrong key\n"
        "    3 |   \"b\": [\n"
        "      |   ^~~");
}

TEST_CASE("a byte order mark is skipped and does not count") {
  const Document document = parse("\xef\xbb\xbf[1]");
  CHECK(document.root().elements()[0].position().column == 2);
}

TEST_CASE("a document may be moved while its values are in use") {
  Document document = parse("[\"text\"]");
  const Value value = document.root().elements()[0];
  const Document other = std::move(document);
  CHECK(value.as_string() == "text");
}

TEST_CASE("a scalar is a document") {
  CHECK(parse(" 12 ").root().as_integer() == 12);
  CHECK(parse("\"a\"").root().as_string() == "a");
  CHECK(parse("true\n").root().as_bool());
  CHECK(parse("1e3").root().as_number() == 1000);
  CHECK(parse("null").root().kind() == Kind::null);
}

TEST_CASE("a value of another kind says what was expected and what was found") {
  CHECK(message_at("12", [](Value v) { v.as_string(); }) ==
        whole("12", "expected a string, found 12"));
  CHECK(message_at("\"a\"", [](Value v) { v.as_number(); }) ==
        whole("\"a\"", "expected a number, found the string \"a\""));
  CHECK(message_at("null", [](Value v) { v.as_bool(); }) ==
        whole("null", "expected true or false, found null"));
  CHECK(message_at("[1]", [](Value v) { v.members(); }) ==
        "a.json:1:2: error: expected an object, found an array\n    1 | [[1]]\n      |  ^");
  CHECK(message_at("{}", [](Value v) { v.elements(); }) ==
        "a.json:1:2: error: expected an array, found an object\n    1 | [{}]\n      |  ^");
  CHECK(message_at("8.5", [](Value v) { v.as_integer(); }) ==
        whole("8.5", "expected an integer, found 8.5"));
}

TEST_CASE("integers are bounded by the reader and by 64 bits") {
  CHECK(message_at("0", [](Value v) { v.as_integer(1, 8); }) ==
        whole("0", "expected an integer from 1 to 8, found 0"));
  CHECK(message_at("9", [](Value v) { v.as_integer(1, 8); }) ==
        whole("9", "expected an integer from 1 to 8, found 9"));
  CHECK(message_at("8", [](Value v) { v.as_integer(1, 8); }) == "no error");
  const auto most = std::numeric_limits<std::int64_t>::max();
  CHECK(message_at("-1", [=](Value v) { v.as_integer(0, most); }) ==
        whole("-1", "expected an integer of at least 0, found -1"));
  CHECK(parse("9223372036854775807").root().as_integer() == most);
  CHECK(parse("-9223372036854775808").root().as_integer() ==
        std::numeric_limits<std::int64_t>::min());
  for (const char* text : {"9223372036854775808", "-9223372036854775809", "18446744073709551616"}) {
    CHECK(message_at(text, [](Value v) { v.as_integer(); }) ==
          whole(text, std::string("expected an integer of at most 64 bits, found ") + text));
  }
  CHECK(parse("18446744073709551616").root().as_number() == 0x1p64);
  CHECK(parse("1" + std::string(300, '0')).root().as_number() == 1e300);
}

TEST_CASE("quantities in files need their unit") {
  const Document document = parse(R"(["400 Gb/s", "2 us", "1 GiB", "0 s", "0 B"])");
  const auto values = document.root().elements();
  CHECK(values[0].as_bandwidth() == Bandwidth{50e9});
  CHECK(values[1].as_time() == 2_us);
  CHECK(values[2].as_bytes() == 1_GiB);
  CHECK(values[3].as_time() == 0_s);
  CHECK(values[4].as_bytes() == 0_B);

  const auto bandwidth = [](Value v) { v.as_bandwidth(); };
  CHECK(message_at("400", bandwidth) ==
        whole("400", "expected a bandwidth such as \"400 Gb/s\"; bare numbers have no unit"));
  CHECK(message_at("\"400 gbps\"", bandwidth) ==
        whole("\"400 gbps\"",
              "expected a bandwidth such as \"400 Gb/s\", found \"400 gbps\" (did you mean \"400 "
              "Gb/s\"?)"));
  CHECK(message_at("\"0 Gb/s\"", bandwidth) ==
        whole("\"0 Gb/s\"", "a bandwidth must be more than zero"));
  CHECK(message_at("true", bandwidth) ==
        whole("true", "expected a bandwidth such as \"400 Gb/s\", found true"));
  CHECK(message_at("2.5", [](Value v) { v.as_time(); }) ==
        whole("2.5", "expected a time such as \"2 us\"; bare numbers have no unit"));
  CHECK(message_at("\"-2 us\"", [](Value v) { v.as_time(); }) ==
        whole("\"-2 us\"",
              "expected a time such as \"2 us\", found \"-2 us\" (it must not be negative)"));
  CHECK(message_at("1024", [](Value v) { v.as_bytes(); }) ==
        whole("1024", "expected a size such as \"25 MB\" or \"1 GiB\"; bare numbers have no unit"));
  CHECK(message_at("\"25 M\"", [](Value v) { v.as_bytes(); }) ==
        whole("\"25 M\"",
              "expected a size such as \"25 MB\" or \"1 GiB\", found \"25 M\" (did you mean \"25 "
              "MB\"?)"));
}
