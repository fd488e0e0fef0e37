#include "model/simulate/report_text.h"

#include <catch2/catch.hpp>
#include <sstream>
#include <vector>

#include "model/simulate/text_layout.h"
#include "tests/support/sample_report.h"

using namespace dsim;
using Catch::Contains;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

void check_page(const std::string& text) {
  CAPTURE(text);
  CHECK(lines_of(text).size() <= 30);
  for (const std::string& line : lines_of(text)) {
    CAPTURE(line);
    CHECK(display_width(line) <= 80);
    if (!line.empty()) CHECK(line.back() != ' ');
  }
}

}  // namespace

TEST_CASE("The report says what was simulated, the answer, and where the time goes") {
  const std::string text = report_text(support::sample_report());
  check_page(text);
  CHECK_THAT(text, Contains("BERT-large · 335 M parameters · sequence 512 · bf16"));
  CHECK_THAT(text, Contains("512 GPUs: 64 × DGX H100 (8 × NVLink4, 8 × 400 Gb/s)"));
  CHECK_THAT(text, Contains("global batch 16,384"));
  CHECK_THAT(text,
             Contains("90 % interval 180.0 … 225.0 ms") || Contains("90 % interval 180 … 225 ms"));
  CHECK_THAT(text, Contains("81,920 sequences/s"));
  CHECK_THAT(text, Contains("94.1 % of 512 × one GPU"));
  CHECK_THAT(text, Contains("55.0 %"));                      // backward: 110 of 200 ms
  CHECK_THAT(text, Contains("92 % of 160"));                 // 12 of 160 ms exposed
  CHECK_THAT(text, Contains("first bucket 4 MiB  −3.1 %"));  // best first
  CHECK_THAT(text, !Contains("kappa"));                      // a constant is no advice
  CHECK_THAT(text, !Contains("half the spines"));            // nor is what makes it worse
  CHECK_THAT(text, Contains("measured 0 · fitted 1 · published 1 · assumed 1 (NIC latency)"));
  CHECK_THAT(text, Contains("fits"));
  CHECK_THAT(text, !Contains("bubble"));
  CHECK_THAT(text, !Contains("\x1b"));
}

TEST_CASE("The shares of the parts are of their sum and the longest bar is the largest part") {
  Report report = support::sample_report();
  report.parts = {};
  report.parts.forward_s = 3;
  report.parts.wait_s = 1;
  const std::string text = report_text(report);
  CHECK_THAT(text, Contains("75.0 %"));
  CHECK_THAT(text, Contains("25.0 %"));
}

TEST_CASE("A job that does not fit says so first, by how much and what to do") {
  Report report = support::sample_report();
  report.memory.activations = 80.0 * 1024 * 1024 * 1024;
  report.memory_advice = "Micro-batch 24 would fit.";
  const std::string first = lines_of(report_text(report)).front();
  CHECK(first.rfind("Does not fit: 86 GiB of 80 GiB per GPU, 6 GiB too much.", 0) == 0);
  CHECK_THAT(report_text(report), Contains("Micro-batch 24 would fit."));
  check_page(report_text(report));
  CHECK_THAT(report_line(report), Contains("does not fit"));
}

TEST_CASE("However much there is to say, the report keeps to 30 lines of 80 columns") {
  Report report = support::sample_report();
  report.parts = {0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.06};
  report.memory.activations = 80.0 * 1024 * 1024 * 1024;
  report.memory_advice = std::string(60, 'x') + " " + std::string(60, 'y');
  report.topology += " with a very long description that goes on and on for more than one line";
  report.bottleneck_sentence += " and then some more words that do not fit into the same line";
  for (int i = 0; i < 12; ++i)
    report.warnings.push_back(
        "sequence 512 is outside the range in which the fusion factor was fitted");
  for (int i = 0; i < 40; ++i)
    report.inputs.push_back({"an assumed constant", {1, 1, Level::assumed, "", ""}});
  const std::string text = report_text(report);
  check_page(text);
  CHECK_THAT(text, Contains("See more"));
  CHECK_THAT(text, Contains("12 warnings in --json"));
}

TEST_CASE("Warnings that find no room are counted") {
  Report report = support::sample_report();
  for (int i = 0; i < 12; ++i)
    report.warnings.push_back(
        "sequence 512 is outside the range in which the fusion factor was fitted");
  const std::string text = report_text(report);
  check_page(text);
  CHECK_THAT(text, Contains("Note               sequence 512 is outside"));
  CHECK_THAT(text, Contains(" more in --json"));
  CHECK_THAT(text,
             Contains("activations 32"));  // room is made by warnings, not the other way round
}

TEST_CASE("One GPU has no scaling and no gradients to exchange") {
  Report report = support::sample_report();
  report.gpus = report.nodes = 1;
  report.communication_s = report.parts.exposed_communication_s = 0;
  const std::string text = report_text(report);
  CHECK_THAT(text, Contains("1 GPU:"));
  CHECK_THAT(text, !Contains("Scaling") && !Contains("Gradients") && !Contains("exposed"));
}

TEST_CASE("A scaling efficiency that cannot be had gives its reason") {
  Report report = support::sample_report();
  report.scaling_efficiency.reset();
  report.scaling_efficiency_reason = "one GPU cannot hold the model";
  CHECK_THAT(report_text(report), Contains("not against one GPU: one GPU cannot hold the model"));
}

TEST_CASE("Colour changes no column") {
  const Report report = support::sample_report();
  const std::string plain = report_text(report), coloured = report_text(report, {true});
  CHECK_THAT(coloured, Contains("\x1b[38;5;25m"));
  const auto a = lines_of(plain), b = lines_of(coloured);
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(display_width(a[i]) == display_width(b[i]));
}
