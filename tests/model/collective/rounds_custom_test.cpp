#include <fmt/format.h>
#include <catch2/catch.hpp>

#include <random>

#include "model/collective/custom_program.h"
#include "tests/model/collective/rounds_worlds.h"
#include "tests/support/message_of.h"

using namespace dsim;
using namespace dsim::test;

namespace {

// Our JSON for a program.
std::string json_of(const RoundProgram& program, CollectiveOp op, std::uint32_t ranks) {
  std::string text = fmt::format(
      "{{\"format\": \"dsim.program/1\", \"name\": \"written\", \"op\": \"{}\", \"ranks\": {}, "
      "\"blocks\": {},\n",
      name_of(op), ranks, program.blocks);
  if (!program.owners.empty())
    text += fmt::format("\"owners\": [{}],\n", fmt::join(program.owners, ", "));
  text += "\"rounds\": [";
  std::vector<Transfer> transfers;
  for (std::uint32_t round = 0; round < program.rounds; ++round) {
    program.transfers(round, transfers);
    text += round == 0 ? "[" : ",\n[";
    for (std::size_t i = 0; i < transfers.size(); ++i)
      text += fmt::format(
          "{}{{\"from\": {}, \"to\": {}, \"block\": {}, \"count\": {}, \"reduce\": {}}}",
          i == 0 ? "" : ",\n ", transfers[i].from, transfers[i].to, transfers[i].first_block,
          transfers[i].block_count, transfers[i].reduce);
    text += "]";
  }
  return text + "]}\n";
}

const std::string pair_json = R"({
  "format": "dsim.program/1",
  "name": "pair",
  "op": "allreduce",
  "ranks": 2,
  "blocks": 1,
  "rounds": [
    [{"from": 0, "to": 1, "block": 0, "reduce": true},
     {"from": 1, "to": 0, "block": 0, "reduce": true}]
  ]
}
)";

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const std::size_t at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), with);
}

std::string fault_of(const std::string& text) {
  const std::string message = message_of([&] { parse_custom_program(text, "my.file"); });
  return message.substr(0, message.find('\n'));
}

// All-gather of two GPUs, one chunk each.
const std::string gather_xml =
    R"(<algo name="swap" proto="Simple" nchannels="1" nchunksperloop="2" ngpus="2" coll="allgather" inplace="0">
  <gpu id="0" i_chunks="1" o_chunks="2" s_chunks="0">
    <tb id="0" send="1" recv="1" chan="0">
      <step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
      <step s="1" type="r" srcbuf="i" srcoff="0" dstbuf="o" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
    </tb>
    <tb id="1" send="-1" recv="-1" chan="0">
      <step s="0" type="cpy" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
    </tb>
  </gpu>
  <gpu id="1" i_chunks="1" o_chunks="2" s_chunks="0">
    <tb id="0" send="0" recv="0" chan="0">
      <step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="o" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
      <step s="1" type="r" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
    </tb>
    <tb id="1" send="-1" recv="-1" chan="0">
      <step s="0" type="cpy" srcbuf="i" srcoff="0" dstbuf="o" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
    </tb>
  </gpu>
</algo>
)";

// A ring all-reduce in place, as MSCCL's compiler writes it: s, then n - 2 rrs/rrc..., then copies.
std::string ring_xml(std::uint32_t n) {
  std::string text = fmt::format(
      "<algo name=\"ring\" nchunksperloop=\"{0}\" ngpus=\"{0}\" coll=\"allreduce\" "
      "inplace=\"1\">\n",
      n);
  for (std::uint32_t g = 0; g < n; ++g) {
    text += fmt::format(
        "<gpu id=\"{}\" i_chunks=\"{}\" o_chunks=\"0\" s_chunks=\"0\">\n<tb id=\"0\" send=\"{}\" "
        "recv=\"{}\" chan=\"0\">\n",
        g, n, (g + 1) % n, (g + n - 1) % n);
    for (std::uint32_t s = 0; s < 2 * n - 1; ++s) {
      const char* type = s == 0          ? "s"
                         : s < n - 1     ? "rrs"
                         : s == n - 1    ? "rrcs"
                         : s < 2 * n - 2 ? "rcs"
                                         : "r";
      const std::uint32_t chunk = (g + 2 * n - s) % n;
      text += fmt::format(
          "<step s=\"{0}\" type=\"{1}\" srcbuf=\"i\" srcoff=\"{2}\" dstbuf=\"i\" dstoff=\"{2}\" "
          "cnt=\"1\" depid=\"-1\" deps=\"-1\" hasdep=\"0\"/>\n",
          s, type, chunk);
    }
    text += "</tb></gpu>\n";
  }
  return text + "</algo>\n";
}

}  // namespace

TEST_CASE("A program written down as JSON is read back", "[rounds]") {
  for (const Algorithm* algorithm : round_algorithms())
    for (const CollectiveOp op : all_collectives())
      for (const std::uint32_t n : {1u, 2u, 5u, 12u}) {
        const Communicator c = first_ranks(n);
        const PlanRequest request{.communicator = &c, .op = op, .size = Bytes{1 << 20}};
        if (!algorithm->supports(op) || !algorithm->unfit(request).empty()) continue;
        INFO(algorithm->name << ' ' << name_of(op) << " of " << n << " ranks");
        const RoundProgram program = algorithm->plan(request).program;
        const CustomProgram read = parse_custom_program(json_of(program, op, n), "x.json");
        CHECK(read.op == op);
        CHECK(read.rounds.size() == program.rounds);
        const Schedule custom = algorithm_by_name("custom").plan(
            {.communicator = &c, .op = op, .size = Bytes{1 << 20}, .custom = &read});
        CHECK(first_fault(custom.program, op, n) == "");
        CHECK(wire_shares(custom.program, n).all == Approx(wire_shares(program, n).all));
      }
}

TEST_CASE("Mistakes in a JSON program have a position", "[rounds]") {
  CHECK(parse_custom_program(pair_json, "my.file").rounds.size() == 1);
  CHECK(fault_of(replaced(pair_json, "program/1", "program/2")) ==
        "my.file:2:13: error: expected the format \"dsim.program/1\"");
  CHECK(
      fault_of(replaced(pair_json, "allreduce", "allreduse"))
          .find("my.file:4:9: error: unknown collective 'allreduse' (did you mean 'all_reduce'?") ==
      0);
  CHECK(fault_of(replaced(pair_json, "\"to\": 1", "\"to\": 2")) ==
        "my.file:8:24: error: expected an integer from 0 to 1, found 2");
  CHECK(fault_of(replaced(pair_json, "\"block\": 0", "\"blok\": 0")).find("my.file:8:") == 0);
  CHECK(fault_of(replaced(pair_json, ", \"reduce\": true", "")) ==
        "my.file:7:13: error: not a right all_reduce: rank 1, block 0: the part of rank 1 is "
        "missing at the end");
  CHECK(
      fault_of(replaced(pair_json, "\"ranks\": 2", "\"ranks\": 65536"))
          .find("error: not a right all_reduce: rank 0, block 0: the part of rank 2 is missing") !=
      std::string::npos);
  CHECK(fault_of(replaced(replaced(pair_json, "\"ranks\": 2", "\"ranks\": 65536"), "\"blocks\": 1",
                          "\"blocks\": 65536"))
            .find("my.file:6:13: error: too many ranks and blocks to check") == 0);
}

TEST_CASE("A custom program runs only where it was written for", "[rounds]") {
  const CustomProgram pair = parse_custom_program(pair_json, "pair.json");
  const Communicator two = first_ranks(2), three = first_ranks(3);
  const Algorithm& custom = algorithm_by_name("custom");
  const auto unfit = [&](const Communicator& c, CollectiveOp op, const CustomProgram* program) {
    return custom.unfit({.communicator = &c, .op = op, .custom = program});
  };
  CHECK(unfit(two, CollectiveOp::all_reduce, &pair) == "");
  CHECK(unfit(two, CollectiveOp::all_reduce, nullptr) == "custom needs a program from a file");
  CHECK(unfit(two, CollectiveOp::all_gather, &pair) == "pair is for all_reduce, not all_gather");
  CHECK(unfit(three, CollectiveOp::all_reduce, &pair) == "pair is for 2 ranks, not 3");
}

TEST_CASE("MSCCL programs become rounds", "[rounds]") {
  const CustomProgram swap = parse_custom_program(gather_xml, "swap.xml");
  CHECK(swap.name == "swap");
  CHECK(swap.op == CollectiveOp::all_gather);
  CHECK(swap.ranks == 2);
  REQUIRE(swap.rounds.size() == 1);
  CHECK(swap.rounds[0].size() == 2);
  for (const std::uint32_t n : {2u, 3u, 4u, 7u, 16u}) {
    const CustomProgram ring = parse_custom_program(ring_xml(n), "ring.xml");
    INFO(n << " GPUs");
    CHECK(ring.rounds.size() == 2 * (n - 1));
    CHECK(wire_shares(round_program(ring), n).most == Approx(2 * (n - 1.0) / n));
    for (const auto& round : ring.rounds) CHECK(round.size() == n);
  }
}

TEST_CASE("Mistakes in an MSCCL program have a position", "[rounds]") {
  const auto fault = [](const std::string& what, const std::string& with) {
    return fault_of(replaced(gather_xml, what, with));
  };
  CHECK(
      fault("coll=\"allgather\"", "coll=\"allgater\"")
          .find("my.file:1:1: error: unknown collective 'allgater' (did you mean 'all_gather'?") ==
      0);
  CHECK(fault("type=\"cpy\"", "type=\"copy\"")
            .find("my.file:8:7: error: unknown step type 'copy' (did you mean 'cpy'?") == 0);
  CHECK(fault("cnt=\"1\"", "cnt=\"-1\"") ==
        "my.file:4:7: error: cnt=\"-1\": expected an integer from 1 to 65536");
  CHECK(fault("<tb id=\"0\"", "<tb id=\"4\"") ==
        "my.file:3:5: error: id=\"4\": expected 0; ids count from 0");
  CHECK(fault("ngpus=\"2\"", "ngpus=\"3\"") ==
        "my.file:1:1: error: <algo> says 3 GPUs and holds 2");
  CHECK(fault("dstoff=\"1\"", "dstoff=\"7\"") ==
        "my.file:5:7: error: chunk 7 of buffer o, which has 2");
  CHECK(fault("dstoff=\"1\"", "dstoff=\"0\"")
            .find("error: not a right all_gather: GPU 0 ends with") != std::string::npos);
  CHECK(
      fault("s=\"0\" type=\"s\"", "s=\"0\" type=\"nop\"")
          .find(
              "my.file:14:7: error: waits for ever: GPU 0 sends 0 messages to GPU 1 on channel 0, "
              "which receives 1") == 0);
  CHECK(fault("depid=\"-1\" deps=\"-1\"", "depid=\"0\" deps=\"1\"") ==
        "my.file:4:7: error: GPU 0, thread block 0, step 0 waits for ever");
  CHECK(fault("depid=\"-1\" deps=\"-1\"", "depid=\"5\" deps=\"0\"") ==
        "my.file:4:7: error: GPU 0 has no step 0 in a thread block 5");
  CHECK(fault("</gpu>", "</gpv>").find("my.file:10:") == 0);
  CHECK(fault("<step s=\"0\" type=\"s\"", "<stop s=\"0\" type=\"s\"") ==
        "my.file:4:7: error: expected <step>, found <stop>");
}

TEST_CASE("Truncated and mangled programs are refused, never crash", "[rounds]") {
  std::mt19937 random(42);
  for (const std::string& text : {gather_xml, pair_json, ring_xml(3)}) {
    for (std::size_t length = 0; length + 3 < text.size(); ++length)
      CHECK_THROWS_AS(parse_custom_program(text.substr(0, length), "cut"), InputError);
    int refused = 0;
    for (int i = 0; i < 2000; ++i) {
      std::string mangled = text;
      for (int k = 0; k < 3; ++k)
        mangled[random() % mangled.size()] = static_cast<char>(random() % 256);
      try {
        parse_custom_program(mangled, "mangled");
      } catch (const InputError&) {
        ++refused;
      }
    }
    CHECK(refused > 1000);
  }
  std::string deep;
  for (int i = 0; i < 200'000; ++i) deep += "<a>";
  CHECK_THROWS_AS(parse_custom_program(deep, "deep"), InputError);
  CHECK_THROWS_AS(
      parse_custom_program("<!DOCTYPE a [<!ENTITY b \"b\"><!ENTITY c \"&b;&b;\">]><a>&c;</a>", "d"),
      InputError);
}
