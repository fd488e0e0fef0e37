#include "sim/base/json_writer.h"

#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <cmath>

namespace dsim {

namespace {

using Buffer = rapidjson::StringBuffer;

rapidjson::SizeType length(std::string_view text) {
  return static_cast<rapidjson::SizeType>(text.size());
}

}  // namespace

struct JsonWriter::State {
  Buffer buffer;
  rapidjson::Writer<Buffer> compact{buffer};
  rapidjson::PrettyWriter<Buffer> indented{buffer};
  bool indent;

  explicit State(Layout layout) : indent(layout == Layout::indented) { indented.SetIndent(' ', 2); }

  template <class Call>
  void write(Call call) {
    if (indent)
      call(indented);
    else
      call(compact);
  }
  void name(std::string_view key) {
    write([&](auto& json) { json.Key(key.data(), length(key)); });
  }
};

JsonWriter::JsonWriter(Layout layout) : state_(std::make_unique<State>(layout)) {}
JsonWriter::~JsonWriter() = default;

void JsonWriter::begin(std::string_view key) {
  if (!key.empty()) state_->name(key);
  state_->write([](auto& json) { json.StartObject(); });
}
void JsonWriter::end() {
  state_->write([](auto& json) { json.EndObject(); });
}
void JsonWriter::begin_list(std::string_view key) {
  state_->name(key);
  state_->write([](auto& json) { json.StartArray(); });
}
void JsonWriter::end_list() {
  state_->write([](auto& json) { json.EndArray(); });
}

void JsonWriter::text(std::string_view key, std::string_view value) {
  state_->name(key);
  string(value);
}

void JsonWriter::text_or_null(std::string_view key, std::string_view value) {
  if (!value.empty()) return text(key, value);
  state_->name(key);
  state_->write([](auto& json) { json.Null(); });
}

void JsonWriter::texts(std::string_view key, const std::vector<std::string>& values) {
  begin_list(key);
  for (const std::string& value : values) string(value);
  end_list();
}

void JsonWriter::whole(std::string_view key, std::int64_t value) {
  state_->name(key);
  state_->write([&](auto& json) { json.Int64(value); });
}

void JsonWriter::number(std::string_view key, double value) {
  state_->name(key);
  state_->write([&](auto& json) {
    if (std::isfinite(value))
      json.Double(value);
    else
      json.Null();
  });
}

void JsonWriter::number(std::string_view key, const std::optional<double>& value) {
  number(key, value.value_or(std::nan("")));
}

void JsonWriter::bytes(std::string_view key, double value) {
  if (std::isfinite(value))
    whole(key, std::llround(value));
  else
    number(key, value);
}

void JsonWriter::flag(std::string_view key, bool value) {
  state_->name(key);
  state_->write([&](auto& json) { json.Bool(value); });
}

void JsonWriter::string(std::string_view value) {
  state_->write([&](auto& json) { json.String(value.data(), length(value)); });
}

void JsonWriter::raw(std::string_view key, std::string_view document) {
  state_->name(key);
  state_->write(
      [&](auto& json) { json.RawValue(document.data(), document.size(), rapidjson::kObjectType); });
}

std::string JsonWriter::document() const {
  return std::string(state_->buffer.GetString(), state_->buffer.GetSize());
}

}  // namespace dsim
