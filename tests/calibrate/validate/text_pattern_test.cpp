#include "calibrate/validate/text_pattern.h"

#include <catch2/catch.hpp>

using namespace dsim;

TEST_CASE("text is compared by its letters and digits") {
  CHECK(normalised("A100-SXM4-80GB") == " a100 sxm4 80gb ");
  CHECK(normalised("  V100 (DGX-1)") == " v100 dgx 1 ");
  CHECK(normalised("") == "");
  CHECK(normalised("--") == "");
}

TEST_CASE("a pattern asks for whole tokens") {
  CHECK(matches("A100-SXM4-80GB", "a100 80gb"));
  CHECK_FALSE(matches("A1000", "a100"));
  CHECK(matches("8 x V100 in DGX-1V; NGC 20.06", "dgx-1v"));
  CHECK_FALSE(matches("1V of a DGX", "dgx-1v"));
  CHECK(matches("anything", ""));
  CHECK(matches("", ""));
  CHECK_FALSE(matches("", "a100"));
}

TEST_CASE("a pattern can name alternatives, absences and the whole text") {
  CHECK(matches("H200-141GB", "h100|h200"));
  CHECK_FALSE(matches("H100 PCIe", "h100 !pcie"));
  CHECK(matches("H100 SXM", "h100 !pcie"));
  CHECK(matches("ResNet-50", "=resnet-50"));
  CHECK_FALSE(matches("Mask R-CNN ResNet-50", "=resnet-50|=resnet50"));
  CHECK(matches("", "!pcie"));
}
