#include "sim/base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "sim/base/source_line.h"

namespace dsim {
namespace {

constexpr std::size_t most_shown = 10;
constexpr std::size_t longest_message = 2000;  // characters

std::string positioned_text(const TextPosition& position, std::string_view message,
                            std::string_view source_line, int length) {
  const std::string file = printable(position.file);
  if (position.line <= 0)
    return fmt::format("{}: error: {}", file, excerpt(message, longest_message));
  return fmt::format("{}:{}:{}: error: {}\n{}", file, position.line, position.column,
                     excerpt(message, longest_message),
                     marked_line(source_line, position.line, position.column, length));
}

/// All mistakes, in order of position; mistakes that hold several are taken apart.
std::vector<InputError> in_order(const std::vector<InputError>& errors) {
  std::vector<InputError> result;
  for (const InputError& error : errors)
    for (InputError& part : error.parts()) result.push_back(std::move(part));
  std::stable_sort(result.begin(), result.end(), [](const InputError& a, const InputError& b) {
    const TextPosition &p = a.position(), &q = b.position();
    return std::tie(p.file, p.line, p.column) < std::tie(q.file, q.line, q.column);
  });
  return result;
}

std::string joined(const std::vector<InputError>& errors) {
  require(!errors.empty(), "a report of several mistakes needs at least one");
  std::string result;
  for (std::size_t i = 0; i < errors.size() && i < most_shown; ++i) {
    if (i > 0) result += '\n';
    result += errors[i].what();
  }
  if (errors.size() > most_shown) result += "\nerror: further mistakes are not shown";
  return result;
}

}  // namespace

struct InputError::Details {
  TextPosition position;
  std::vector<InputError> parts;  // empty for a single mistake
};

InputError::InputError(const std::string& text, std::shared_ptr<const Details> details)
    : std::runtime_error(text), details_(std::move(details)) {}

InputError::InputError(std::string_view message)
    : InputError(fmt::format("error: {}", excerpt(message, longest_message)),
                 std::make_shared<Details>()) {}

InputError::InputError(const TextPosition& position, std::string_view message,
                       std::string_view source_line, int length)
    : InputError(positioned_text(position, message, source_line, length),
                 std::make_shared<Details>(Details{position, {}})) {}

InputError::InputError(const std::vector<InputError>& errors)
    : InputError([&] {
        std::vector<InputError> parts = in_order(errors);
        const std::string text = joined(parts);
        const TextPosition position = parts.front().position();
        return InputError(text, std::make_shared<Details>(Details{position, std::move(parts)}));
      }()) {}

const TextPosition& InputError::position() const { return details_->position; }

std::vector<InputError> InputError::parts() const {
  return details_->parts.empty() ? std::vector<InputError>{*this} : details_->parts;
}

void require(bool condition, const char* sentence) {
  if (!condition) throw std::logic_error(sentence);
}

}  // namespace dsim
