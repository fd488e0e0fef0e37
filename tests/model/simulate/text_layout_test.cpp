#include "model/simulate/text_layout.h"

#include <catch2/catch.hpp>
#include <cmath>

using namespace dsim;
using Lines = std::vector<std::string>;

TEST_CASE("Width counts characters, not bytes or colours") {
  CHECK(display_width("27 %") == 4);
  CHECK(display_width("64 × GPU …") == 10);
  CHECK(display_width(inked("███", Ink::compute, true)) == 3);
  CHECK(pad_left("×", 3) == "  ×");
  CHECK(pad_right("×", 3) == "×  ");
  CHECK(pad_right("long", 3) == "long");
}

TEST_CASE("A bar has as many eighths of a column as its fraction says") {
  CHECK(bar(0, 10).empty());
  CHECK(bar(1, 3) == "███");
  CHECK(bar(0.5, 3) == "█▌");
  CHECK(bar(2, 2) == "██");
  CHECK(bar(-1, 2).empty());
  CHECK(bar(std::nan(""), 2).empty());
}

TEST_CASE("Items are wrapped between each other and words only where one item is too long") {
  CHECK(wrap_items("a ", {"one", "two", "three"}, " · ", 11) == Lines{"a one · two", "  three"});
  CHECK(wrap_text("", "the quick brown fox", 10) == Lines{"the quick", "brown fox"});
  CHECK(wrap_text("", "a wait of 12 ms now", 12) == Lines{"a wait of", "12 ms now"});
  CHECK(wrap_items("h: ", {"x", "a very long item"}, ", ", 10) ==
        Lines{"h: x, a", "   very", "   long", "   item"});
  CHECK(wrap_items("head", {}, ", ", 10) == Lines{"head"});
}

TEST_CASE("A table aligns its columns and leaves no spaces at the ends of lines") {
  CHECK(table({{"GPUs", "step", "limit"}, {"8", "1.5 ms", "NIC"}, {"512", "2 ms", ""}}, {2}) ==
        "GPUs    step  limit\n"
        "   8  1.5 ms  NIC\n"
        " 512    2 ms\n");
}
