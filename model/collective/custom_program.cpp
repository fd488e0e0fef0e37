#include "model/collective/custom_program.h"

#include <fmt/format.h>

#include <memory>

#include "model/collective/algorithm.h"
#include "model/collective/msccl/msccl_program.h"
#include "model/collective/rounds_check.h"
#include "sim/base/json.h"

namespace dsim {

namespace {

// A check plays ranks^2 x blocks bits: 2^33 of them are 1 GiB.
constexpr double most_bits = 8589934592.0;
constexpr std::int64_t most_ranks = 65536, most_blocks = 1 << 24;

std::uint32_t number(json::Value value, std::int64_t low, std::int64_t high) {
  return static_cast<std::uint32_t>(value.as_integer(low, high));
}

CollectiveOp op_of(json::Value value) {
  try {
    return collective_by_name(value.as_string());
  } catch (const InputError& error) {
    std::string message = error.what();
    if (message.starts_with("error: ")) message.erase(0, 7);
    value.fail(message);
  }
}

Transfer transfer_of(json::Value value, const CustomProgram& program) {
  json::ObjectReader reader(value);
  Transfer t;
  t.from = number(reader.at("from"), 0, program.ranks - 1);
  t.to = number(reader.at("to"), 0, program.ranks - 1);
  t.first_block = number(reader.at("block"), 0, program.blocks - 1);
  t.block_count = 1;
  if (const auto count = reader.find("count")) t.block_count = number(*count, 1, program.blocks);
  if (const auto reduce = reader.find("reduce")) t.reduce = reduce->as_bool();
  reader.finish();
  return t;
}

}  // namespace

RoundProgram round_program(const CustomProgram& program) {
  RoundProgram result;
  result.rounds = static_cast<std::uint32_t>(program.rounds.size());
  result.blocks = program.blocks;
  result.owners = program.owners;
  for (std::uint32_t round = 0; round < result.rounds; ++round) result.phases.push_back({round, 1});
  if (program.op == CollectiveOp::barrier) result.block_shares.assign(program.blocks, 0.0);
  const auto rounds = std::make_shared<const std::vector<std::vector<Transfer>>>(program.rounds);
  result.transfers = [rounds](std::uint32_t round, std::vector<Transfer>& out) {
    out = (*rounds)[round];
  };
  return result;
}

namespace {

CustomProgram parse_json_program(std::string text, std::string name) {
  const json::Document document = json::Document::parse(std::move(text), std::move(name));
  json::ObjectReader reader(document.root());
  const json::Value format = reader.at("format");
  if (format.as_string() != "dsim.program/1") format.fail("expected the format \"dsim.program/1\"");
  CustomProgram program;
  program.name = std::string(reader.at("name").as_string());
  const json::Value op = reader.at("op");
  program.op = op_of(op);
  const json::Value ranks = reader.at("ranks"), blocks = reader.at("blocks");
  program.ranks = number(ranks, 1, most_ranks);
  program.blocks = number(blocks, 1, most_blocks);
  const double n = program.ranks;
  if (n * n * program.blocks > most_bits)
    blocks.fail("too many ranks and blocks to check (ranks^2 x blocks above 2^33)");
  if (program.op == CollectiveOp::all_to_all && program.blocks != program.ranks &&
      program.blocks != program.ranks * program.ranks)
    blocks.fail("an all_to_all needs ranks or ranks^2 blocks");
  if (const auto root = reader.find("root")) program.root = number(*root, 0, program.ranks - 1);
  if (const auto owners = reader.find("owners")) {
    for (const json::Value owner : owners->elements())
      program.owners.push_back(number(owner, 0, program.ranks - 1));
    if (program.owners.size() != program.blocks)
      owners->fail(fmt::format("expected one owner a block ({}), found {}", program.blocks,
                               program.owners.size()));
  }
  const json::Value rounds = reader.at("rounds");
  for (const json::Value round : rounds.elements()) {
    program.rounds.emplace_back();
    for (const json::Value transfer : round.elements())
      program.rounds.back().push_back(transfer_of(transfer, program));
  }
  reader.finish();
  const std::string fault =
      first_fault(round_program(program), program.op, program.ranks, program.root);
  if (!fault.empty()) rounds.fail(fmt::format("not a right {}: {}", name_of(program.op), fault));
  return program;
}

}  // namespace

CustomProgram load_custom_program(const std::filesystem::path& path) {
  return parse_custom_program(json::load_text(path), path.string());
}

CustomProgram parse_custom_program(std::string text, std::string name) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool bom = text.starts_with("\xef\xbb\xbf");
  if ((first != std::string::npos && text[first] == '<') ||
      (bom && text.size() > 3 && text[3] == '<'))
    return msccl_rounds(parse_msccl_file(std::move(text), std::move(name)));
  return parse_json_program(std::move(text), std::move(name));
}

}  // namespace dsim
