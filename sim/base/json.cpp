#include "sim/base/json.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/json_contents.h"
#include "sim/base/quantity.h"
#include "sim/base/source_line.h"

namespace dsim::json {
namespace {

std::string_view string_of(const Contents& contents, const Node& node) {
  return std::string_view(contents.strings).substr(node.string.begin, node.string.length);
}

bool is_container(const Node& node) {
  return node.kind == Kind::object || node.kind == Kind::array;
}

const Node* after(const Contents& contents, const Node* node) {
  return is_container(*node) ? contents.nodes.data() + node->container.next : node + 1;
}

/// "the string \"x\"", "12", "an array": what was found where something else was expected.
std::string found(const Contents& contents, const Node& node) {
  switch (node.kind) {
    case Kind::object:
      return "an object";
    case Kind::array:
      return "an array";
    case Kind::string:
      return fmt::format("the string \"{}\"", excerpt(string_of(contents, node)));
    default:
      return excerpt(contents.token_at(node.offset));
  }
}

[[noreturn]] void fail_expected(const Value& value, const Contents& contents, const Node& node,
                                std::string_view expected) {
  value.fail(fmt::format("expected {}, found {}", expected, found(contents, node)));
}

}  // namespace

Kind Value::kind() const { return node_->kind; }

TextPosition Value::position() const { return contents_->position(node_->offset); }

void Value::fail(std::string_view message) const { contents_->fail(node_->offset, message); }

void Value::fail_at_key(std::string_view message) const {
  require(node_ != contents_->nodes.data() && node_[-1].kind == Kind::string,
          "only a member of an object has a key");
  contents_->fail(node_[-1].offset, message);
}

std::string_view Value::as_string() const {
  if (node_->kind != Kind::string) fail_expected(*this, *contents_, *node_, "a string");
  return string_of(*contents_, *node_);
}

bool Value::as_bool() const {
  if (node_->kind != Kind::boolean) fail_expected(*this, *contents_, *node_, "true or false");
  return node_->boolean;
}

std::int64_t Value::as_integer() const {
  if (node_->kind == Kind::integer) return node_->integer;
  const bool whole = node_->kind == Kind::number &&
                     contents_->token_at(node_->offset).find_first_of(".eE") == std::string::npos;
  fail_expected(*this, *contents_, *node_, whole ? "an integer of at most 64 bits" : "an integer");
}

std::int64_t Value::as_integer(std::int64_t low, std::int64_t high) const {
  const std::int64_t value = as_integer();
  if (value >= low && value <= high) return value;
  const std::string range = high == std::numeric_limits<std::int64_t>::max()
                                ? fmt::format("an integer of at least {}", low)
                                : fmt::format("an integer from {} to {}", low, high);
  fail_expected(*this, *contents_, *node_, range);
}

double Value::as_number() const {
  if (node_->kind == Kind::integer) return static_cast<double>(node_->integer);
  if (node_->kind != Kind::number) fail_expected(*this, *contents_, *node_, "a number");
  return node_->number;
}

std::vector<Value> Value::elements() const {
  if (node_->kind != Kind::array) fail_expected(*this, *contents_, *node_, "an array");
  std::vector<Value> result;
  result.reserve(node_->container.count);
  const Node* element = node_ + 1;
  for (std::uint32_t i = 0; i < node_->container.count; ++i) {
    result.emplace_back(contents_, element);
    element = after(*contents_, element);
  }
  return result;
}

std::vector<std::pair<std::string_view, Value>> Value::members() const {
  if (node_->kind != Kind::object) fail_expected(*this, *contents_, *node_, "an object");
  std::vector<std::pair<std::string_view, Value>> result;
  result.reserve(node_->container.count);
  const Node* key = node_ + 1;
  for (std::uint32_t i = 0; i < node_->container.count; ++i) {
    result.emplace_back(string_of(*contents_, *key), Value(contents_, key + 1));
    key = after(*contents_, key + 1);
  }
  return result;
}

Bandwidth Value::as_bandwidth() const {
  if (node_->kind == Kind::integer || node_->kind == Kind::number)
    fail("expected a bandwidth such as \"400 Gb/s\"; bare numbers have no unit");
  if (node_->kind != Kind::string)
    fail_expected(*this, *contents_, *node_, "a bandwidth such as \"400 Gb/s\"");
  const std::string_view text = as_string();
  const auto rate = parse_bandwidth(text);
  if (!rate) fail(explain_bandwidth(text));
  if (rate->bytes_per_second <= 0) fail("a bandwidth must be more than zero");
  return *rate;
}

Time Value::as_time() const {
  if (node_->kind == Kind::integer || node_->kind == Kind::number)
    fail("expected a time such as \"2 us\"; bare numbers have no unit");
  if (node_->kind != Kind::string)
    fail_expected(*this, *contents_, *node_, "a time such as \"2 us\"");
  const std::string_view text = as_string();
  const auto time = parse_time(text);
  if (!time) fail(explain_time(text));
  return *time;
}

Bytes Value::as_bytes() const {
  if (node_->kind == Kind::integer || node_->kind == Kind::number)
    fail("expected a size such as \"25 MB\" or \"1 GiB\"; bare numbers have no unit");
  if (node_->kind != Kind::string)
    fail_expected(*this, *contents_, *node_, "a size such as \"25 MB\" or \"1 GiB\"");
  const std::string_view text = as_string();
  const auto size = parse_bytes(text);
  if (!size) fail(explain_bytes(text));
  return *size;
}

}  // namespace dsim::json
