#include "sim/base/error.h"

#include <catch2/catch.hpp>

#include "sim/base/source_line.h"

using namespace dsim;

namespace {

InputError at(int line, int column, const char* message = "wrong") {
  return InputError({"pod.json", line, column}, message, "{}");
}

std::string text(const InputError& error) { return error.what(); }

}  // namespace

TEST_CASE("an input error shows the file, the line and a mark under the mistake") {
  const InputError error({"topologies/pod.json", 14, 11}, "unknown link kind 'nvlnk'",
                         "  \"kind\": \"nvlnk\",", 7);
  CHECK(text(error) ==
        "topologies/pod.json:14:11: error: unknown link kind 'nvlnk'\n"
        "   14 |   \"kind\": \"nvlnk\",\n"
        "      |           ^~~~~~~");
  CHECK(error.position().file == "topologies/pod.json");
  CHECK(error.position().line == 14);
  CHECK(error.position().column == 11);
}

TEST_CASE("an input error outside a file is one line") {
  CHECK(text(InputError("--tp 6 does not divide the 64 heads")) ==
        "error: --tp 6 does not divide the 64 heads");
  CHECK(text(InputError({"pod.json", 0, 0}, "it is old", "")) == "pod.json: error: it is old");
}

TEST_CASE("the mark stands under the character also behind tabs, umlauts and wide characters") {
  CHECK(marked_line("\t\t\"a\": x", 1, 8, 1) ==
        "    1 | \t\t\"a\": x\n"
        "      | \t\t     ^");
  CHECK(marked_line("\"\xc3\xbc\": x", 1, 6, 1) ==
        "    1 | \"\xc3\xbc\": x\n"
        "      |      ^");
  CHECK(marked_line("\"\xe4\xb8\xad\": x", 1, 6, 1) ==  // two columns on a terminal
        "    1 | \"\xe4\xb8\xad\": x\n"
        "      |       ^");
  CHECK(marked_line("x \xe4\xb8\xad y", 1, 3, 2) ==
        "    1 | x \xe4\xb8\xad y\n"
        "      |   ^~~");
}

TEST_CASE("of a long line only the surroundings of the mistake are shown") {
  const std::string line = std::string(5000, 'a') + "BAD" + std::string(5000, 'b');
  CHECK(marked_line(line, 1, 5001, 3) == "    1 | ..." + std::string(50, 'a') + "BAD" +
                                             std::string(47, 'b') + "...\n" + "      | " +
                                             std::string(53, ' ') + "^~~");
  CHECK(marked_line(line, 1, 3, 1) == "    1 | " + std::string(100, 'a') + "...\n      |   ^");
  CHECK(marked_line("ab", 1, 3, 1) ==
        "    1 | ab\n"
        "      |   ^");
  CHECK(marked_line("", 1, 1, 1) ==
        "    1 | \n"
        "      | ^");
}

TEST_CASE("nothing of a user's text acts on the terminal") {
  CHECK(text(InputError("unknown model '\x1b[31mred\x07\n'")) ==
        "error: unknown model '\\x1b[31mred\\x07\\n'");
  CHECK(text(InputError({"a\x1b.json", 1, 2}, "wrong", "[\x1b[2J\xff \xe2\x80\xae]")) ==
        "a\\x1b.json:1:2: error: wrong\n"
        "    1 | [\xef\xbf\xbd[2J\xef\xbf\xbd \xef\xbf\xbd]\n"
        "      |  ^");
  CHECK(printable("\xe2\x80\xae") == "\\u202e");  // right-to-left override
  CHECK(printable("\xc0\xaf\xed\xa0\x80\xf4\x90\x80\x80\xe2\x82") ==
        "\\xc0\\xaf\\xed\\xa0\\x80\\xf4\\x90\\x80\\x80\\xe2\\x82");  // not UTF-8
  CHECK(printable("G\xc3\xb6ttingen \xf0\x9f\x98\x80") == "G\xc3\xb6ttingen \xf0\x9f\x98\x80");
}

TEST_CASE("a message is never longer than a screen") {
  CHECK(text(InputError(std::string(1 << 20, 'x'))).size() < 2100);
  CHECK(excerpt(std::string(100, 'x'), 10) == "xxxxxxxxxx...");
  CHECK(excerpt("0123456789", 10) == "0123456789");
}

TEST_CASE("several mistakes are reported together in order of position") {
  const InputError error({at(20, 1, "third"), at(3, 9, "second"), at(3, 2, "first")});
  CHECK(text(error) ==
        "pod.json:3:2: error: first\n    3 | {}\n      |  ^\n"
        "pod.json:3:9: error: second\n    3 | {}\n      |         ^\n"
        "pod.json:20:1: error: third\n   20 | {}\n      | ^");
  CHECK(error.position().line == 3);
  CHECK(error.parts().size() == 3);
  CHECK(text(InputError({error, at(1, 1, "before")})).find("before") < 30);
  CHECK(InputError({error, at(1, 1)}).parts().size() == 4);
}

TEST_CASE("of many mistakes ten are shown") {
  std::vector<InputError> errors;
  for (int line = 1; line <= 10; ++line) errors.push_back(at(line, 1));
  CHECK(text(InputError(errors)).find("not shown") == std::string::npos);
  for (int line = 11; line <= 30; ++line) errors.push_back(at(line, 1));
  const std::string shown = text(InputError(errors));
  CHECK(shown.find("pod.json:10:1:") != std::string::npos);
  CHECK(shown.find("pod.json:11:1:") == std::string::npos);
  CHECK(shown.ends_with("\nerror: further mistakes are not shown"));
}

TEST_CASE("an input error of one part is its own part") {
  const InputError error = at(1, 2);
  REQUIRE(error.parts().size() == 1);
  CHECK(text(error.parts().front()) == text(error));
}

TEST_CASE("a programmer's mistake is a logic error with its sentence") {
  CHECK_NOTHROW(require(true, "never seen"));
  CHECK_THROWS_AS(require(false, "capacity must be positive"), std::logic_error);
  CHECK_THROWS_WITH(require(false, "capacity must be positive"), "capacity must be positive");
  CHECK_THROWS_AS(InputError(std::vector<InputError>{}), std::logic_error);
}
