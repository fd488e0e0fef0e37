#pragma once
// Reading JSON with source positions: every value remembers where it stands, so that a semantic
// mistake (wrong unit, unknown name) is reported as file:line:col with the offending line.
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/error.h"
#include "sim/base/units.h"

namespace dsim::json {

struct Node;      // one parsed value, owned by a Document
struct Contents;  // text and nodes of a Document

enum class Kind { object, array, string, integer, number, boolean, null };

/// A handle to a value in a Document (cheap to copy; valid while the Document lives).
class Value {
 public:
  Value(const Contents* contents, const Node* node) : contents_(contents), node_(node) {}

  Kind kind() const;
  TextPosition position() const;
  /// Throws InputError at this value's position.
  [[noreturn]] void fail(std::string_view message) const;
  /// Throws InputError at the key of this value. Requires a member of an object.
  [[noreturn]] void fail_at_key(std::string_view message) const;

  // Typed access; each throws InputError with the position, what was expected and what was found.
  std::string_view as_string() const;
  bool as_bool() const;
  std::int64_t as_integer() const;
  /// An integer in [low, high].
  std::int64_t as_integer(std::int64_t low, std::int64_t high) const;
  double as_number() const;
  std::vector<Value> elements() const;                              ///< of an array
  std::vector<std::pair<std::string_view, Value>> members() const;  ///< of an object, in file order

  // Quantities are strings with a unit ("400 Gb/s", "2 us", "1 GiB"); a bare number is an error.
  Bandwidth as_bandwidth() const;  ///< > 0
  Time as_time() const;            ///< >= 0
  Bytes as_bytes() const;          ///< >= 0

 private:
  const Contents* contents_;
  const Node* node_;
};

/// A parsed JSON text. Duplicate keys, trailing text, invalid UTF-8, nesting beyond 512 and files
/// over 64 MiB are errors; so are directories and unreadable files. A byte order mark is skipped;
/// columns count characters. Integers beyond 64 bits are read as numbers.
class Document {
 public:
  static Document load(const std::filesystem::path& path);
  static Document parse(std::string text, std::string name);
  Document(Document&&) noexcept;
  Document& operator=(Document&&) noexcept;
  ~Document();
  Value root() const;

 private:
  explicit Document(std::unique_ptr<Contents> contents);
  std::unique_ptr<Contents> contents_;
};

/// The text of a file that is not JSON, with the limits and errors of Document::load.
std::string load_text(const std::filesystem::path& path);

/// Reads an object key by key and finally reports keys nobody asked for, with the nearest known.
class ObjectReader {
 public:
  explicit ObjectReader(Value object);
  Value at(std::string_view key);  ///< required; error at the object (or at a key misspelt)
  std::optional<Value> find(std::string_view key);  ///< optional
  /// Throws if some key of the object was never asked for.
  void finish() const;

 private:
  Value object_;
  std::vector<std::pair<std::string_view, Value>> members_;
  std::vector<std::string> asked_;
};

/// Collects the errors of several independent readings, so that they are reported together.
class Problems {
 public:
  void attempt(
      const std::function<void()>& reading);  ///< keeps an InputError instead of passing it on
  void raise() const;                         ///< throws what was collected, if anything

 private:
  std::vector<InputError> errors_;
};

}  // namespace dsim::json
