#include <catch2/catch.hpp>

#include "sim/base/json.h"
#include "tests/support/message_of.h"

using namespace dsim;
using dsim::json::Document;
using dsim::json::ObjectReader;
using dsim::json::Problems;
using dsim::test::message_of;

namespace {

Document parse(std::string text) { return Document::parse(std::move(text), "link.json"); }

void read_link(const Document& document) {
  ObjectReader link(document.root());
  link.at("kind");
  link.at("bandwidth");
  link.find("latency");
  link.finish();
}

}  // namespace

TEST_CASE("an object with the required keys reads without error") {
  CHECK(message_of([] { read_link(parse(R"({"kind": 1, "bandwidth": 2})")); }) == "no error");
  CHECK(message_of([] { read_link(parse(R"({"latency": 3, "bandwidth": 2, "kind": 1})")); }) ==
        "no error");
}

TEST_CASE("a missing key is named at the object") {
  CHECK(message_of([] { read_link(parse("{\n  \"kind\": 1\n}")); }) ==
        "link.json:1:1: error: missing key 'bandwidth'\n"
        "    1 | {\n"
        "      | ^");
}

TEST_CASE("a missing key that is only misspelt is named at the misspelling") {
  CHECK(message_of([] { read_link(parse("{\"kind\": 1,\n  \"bandwith\": 2}")); }) ==
        "link.json:2:3: error: missing key 'bandwidth' (is 'bandwith' a misspelling of it?)\n"
        "    2 |   \"bandwith\": 2}\n"
        "      |   ^~~~~~~~~~");
}

TEST_CASE("unknown keys are reported together, each with the nearest known one") {
  CHECK(message_of(
            [] { read_link(parse(R"({"color": 0, "kind": 1, "bandwidth": 2, "latancy": 3})")); }) ==
        "link.json:1:2: error: unknown key 'color' (known: kind, bandwidth, latency)\n"
        "    1 | {\"color\": 0, \"kind\": 1, \"bandwidth\": 2, \"latancy\": 3}\n"
        "      |  ^~~~~~~\n"
        "link.json:1:41: error: unknown key 'latancy' (did you mean 'latency'? known: kind, "
        "bandwidth, latency)\n"
        "    1 | {\"color\": 0, \"kind\": 1, \"bandwidth\": 2, \"latancy\": 3}\n"
        "      |                                         ^~~~~~~~~");
}

TEST_CASE("a hundred thousand unknown keys do not take long to report") {
  std::string text = "{\"kind\": 1, \"bandwidth\": 2";
  for (int i = 0; i < 100'000; ++i) text += ", \"key" + std::to_string(i) + "\": 0";
  const Document document = parse(text + "}");
  const std::string message = message_of([&] { read_link(document); });
  CHECK(message.ends_with("error: further mistakes are not shown"));
}

TEST_CASE("something that is not an object has no keys") {
  CHECK(message_of([] { read_link(parse("[1]")); }) ==
        "link.json:1:1: error: expected an object, found an array\n    1 | [1]\n      | ^");
}

TEST_CASE("problems of independent readings are raised together, by position") {
  const Document document = parse("[1,\n \"x\",\n 3]");
  const auto values = document.root().elements();
  Problems problems;
  problems.attempt([&] { values[2].as_string(); });
  problems.attempt([&] { values[1].as_string(); });
  problems.attempt([&] { values[0].as_string(); });
  CHECK(message_of([&] { problems.raise(); }) ==
        "link.json:1:2: error: expected a string, found 1\n    1 | [1,\n      |  ^\n"
        "link.json:3:2: error: expected a string, found 3\n    3 |  3]\n      |  ^");
}

TEST_CASE("problems keep only mistakes of users") {
  Problems problems;
  CHECK_NOTHROW(problems.raise());
  CHECK_THROWS_AS(problems.attempt([] { require(false, "a bug"); }), std::logic_error);
  CHECK_NOTHROW(problems.raise());
  problems.attempt([] { throw InputError("one"); });
  CHECK(message_of([&] { problems.raise(); }) == "error: one");
}
