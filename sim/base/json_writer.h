#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dsim {

/// Writes one JSON document, keys in the order of the calls. Never writes NaN or infinity: null.
class JsonWriter {
 public:
  enum class Layout : std::uint8_t { indented, compact };
  explicit JsonWriter(Layout layout = Layout::indented);
  ~JsonWriter();
  JsonWriter(const JsonWriter&) = delete;

  void begin(std::string_view key = {});  ///< an object, as a member if it has a key
  void end();
  void begin_list(std::string_view key);
  void end_list();

  void text(std::string_view key, std::string_view value);
  void text_or_null(std::string_view key, std::string_view value);  ///< null where empty
  void texts(std::string_view key, const std::vector<std::string>& values);
  void whole(std::string_view key, std::int64_t value);
  void number(std::string_view key, double value);
  void number(std::string_view key, const std::optional<double>& value);
  /// A count of bytes, which models may hold as a fraction.
  void bytes(std::string_view key, double value);
  void flag(std::string_view key, bool value);
  void string(std::string_view value);  ///< an element of a list
  /// A document that is already JSON.
  void raw(std::string_view key, std::string_view document);

  /// By the type of the value: text, number or whole.
  void member(std::string_view key, std::string_view value) { text(key, value); }
  void member(std::string_view key, double value) { number(key, value); }
  void member(std::string_view key, std::int64_t value) { whole(key, value); }
  void member(std::string_view key, std::size_t value) {
    whole(key, static_cast<std::int64_t>(value));
  }

  std::string document() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace dsim
