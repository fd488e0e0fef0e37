#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>

#include "sim/base/json_contents.h"
#include "sim/base/source_line.h"

namespace dsim::json {
namespace {

namespace ondemand = simdjson::ondemand;

/// Reports a key that stands twice in one object, at its second place.
void check_duplicates(const Contents& contents) {
  std::vector<std::pair<std::string_view, std::uint32_t>> keys;
  for (std::size_t i = 0; i < contents.nodes.size(); ++i) {
    const Node& object = contents.nodes[i];
    if (object.kind != Kind::object || object.container.count < 2) continue;
    keys.clear();
    for (std::size_t key = i + 1; key < object.container.next;) {
      const Node& name = contents.nodes[key];
      keys.emplace_back(
          std::string_view(contents.strings).substr(name.string.begin, name.string.length),
          name.offset);
      const Node& value = contents.nodes[key + 1];
      const bool container = value.kind == Kind::object || value.kind == Kind::array;
      key = container ? value.container.next : key + 2;
    }
    std::sort(keys.begin(), keys.end());
    const auto same = [](const auto& a, const auto& b) { return a.first == b.first; };
    if (const auto twice = std::adjacent_find(keys.begin(), keys.end(), same); twice != keys.end())
      contents.fail(twice[1].second,
                    fmt::format("duplicate key '{}' (first at line {})", excerpt(twice->first),
                                contents.position(twice->second).line));
  }
}

/// Walks the text with simdjson's On-Demand interface, which knows where each value stands.
class Walker {
 public:
  explicit Walker(Contents& contents) : contents_(contents) {}

  void walk() {
    std::string& text = contents_.text;
    text.reserve(text.size() + simdjson::SIMDJSON_PADDING);
    ondemand::parser parser;
    ondemand::document document = parser.iterate(text.data(), text.size(), text.capacity());
    read(document, 0);
    if (document.current_location().error() != simdjson::OUT_OF_BOUNDS || root_has_tail())
      throw simdjson::simdjson_error(simdjson::TRAILING_CONTENT);
  }

 private:
  template <class Source>
  void read(Source& source, int depth) {
    const std::string_view token = source.raw_json_token();
    const std::size_t offset = static_cast<std::size_t>(token.data() - contents_.text.data());
    const std::size_t index = add(offset);
    switch (ondemand::json_type{source.type()}) {
      case ondemand::json_type::object:
        read_object(source, index, depth + 1);
        break;
      case ondemand::json_type::array:
        read_array(source, index, depth + 1);
        break;
      case ondemand::json_type::string:
        set_string(index, source.get_string());
        break;
      case ondemand::json_type::number:
        read_number(source, index);
        break;
      case ondemand::json_type::boolean:
        contents_.nodes[index].kind = Kind::boolean;
        contents_.nodes[index].boolean = source.get_bool();
        break;
      case ondemand::json_type::null:
        if (!is_null(source)) throw simdjson::simdjson_error(simdjson::N_ATOM_ERROR);
        break;
    }
  }

  template <class Source>
  void read_object(Source& source, std::size_t index, int depth) {
    check_depth(index, depth);
    std::uint32_t count = 0;
    for (ondemand::field field : source.get_object()) {
      const char* const quoted = field.key().raw();  // behind the quotation mark
      const std::size_t key = add(static_cast<std::size_t>(quoted - 1 - contents_.text.data()));
      set_string(key, field.unescaped_key());
      ondemand::value value = field.value();
      read(value, depth);
      ++count;
    }
    close(index, Kind::object, count);
  }

  template <class Source>
  void read_array(Source& source, std::size_t index, int depth) {
    check_depth(index, depth);
    std::uint32_t count = 0;
    for (auto element : source.get_array()) {
      ondemand::value value = element.value();
      read(value, depth);
      ++count;
    }
    close(index, Kind::array, count);
  }

  template <class Source>
  void read_number(Source& source, std::size_t index) {
    Node& node = contents_.nodes[index];
    std::int64_t integer = 0;
    if (source.get_int64().get(integer) == simdjson::SUCCESS) {
      node.kind = Kind::integer;
      node.integer = integer;
    } else {
      node.kind = Kind::number;
      node.number = source.get_double();
    }
  }

  /// simdjson 3.0 takes "falses" for false where it is the whole text.
  bool root_has_tail() const {
    const Node& root = contents_.nodes.front();
    if (root.kind == Kind::object || root.kind == Kind::array) return false;
    const std::size_t end = root.offset + contents_.token_at(root.offset).size();
    return contents_.text.find_first_not_of(" \t\r\n", end) != std::string::npos ||
           (root.kind == Kind::boolean && end - root.offset != (root.boolean ? 4 : 5)) ||
           (root.kind == Kind::null && end - root.offset != 4);
  }

  static bool is_null(ondemand::document& document) { return document.is_null(); }
  static bool is_null(ondemand::value& value) { return value.is_null(); }

  std::size_t add(std::size_t offset) {
    Node node;
    node.offset = static_cast<std::uint32_t>(offset);
    node.integer = 0;
    contents_.nodes.push_back(node);
    return contents_.nodes.size() - 1;
  }

  void set_string(std::size_t index, std::string_view text) {
    Node& node = contents_.nodes[index];
    node.kind = Kind::string;
    node.string = {static_cast<std::uint32_t>(contents_.strings.size()),
                   static_cast<std::uint32_t>(text.size())};
    contents_.strings += text;
  }

  void close(std::size_t index, Kind kind, std::uint32_t count) {
    Node& node = contents_.nodes[index];
    node.kind = kind;
    node.container = {count, static_cast<std::uint32_t>(contents_.nodes.size())};
  }

  void check_depth(std::size_t index, int depth) const {
    if (depth > deepest_nesting)
      contents_.fail(contents_.nodes[index].offset,
                     fmt::format("nested deeper than {} levels", deepest_nesting));
  }

  Contents& contents_;
};

}  // namespace

void read_nodes(Contents& contents) {
  try {
    Walker(contents).walk();
  } catch (const simdjson::simdjson_error& error) {
    const SyntaxMistake mistake = explain_syntax(contents, error.what());
    contents.fail(mistake.offset, mistake.message);
  }
  check_duplicates(contents);
}

}  // namespace dsim::json
