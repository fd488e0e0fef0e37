#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "sim/base/json_contents.h"
#include "sim/base/source_line.h"

namespace dsim::json {
namespace {

[[noreturn]] void fail_reading(const std::string& name, std::string_view reason) {
  throw InputError(fmt::format("cannot read '{}': {}", name, reason));
}

[[noreturn]] void fail_large(const std::string& name) {
  fail_reading(name, fmt::format("larger than {} MiB", largest_text >> 20));
}

/// A file descriptor that closes itself.
struct OpenFile {
  int descriptor;
  explicit OpenFile(const char* path) : descriptor(::open(path, O_RDONLY | O_CLOEXEC)) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (descriptor >= 0) ::close(descriptor);
  }
};

/// Reads a file, pipe or device up to the limit; a regular file that is too large is not read.
std::string read_text(const std::filesystem::path& path, const std::string& name) {
  const auto reason = [] { return std::generic_category().message(errno); };
  const OpenFile file(path.c_str());
  struct stat status {};
  if (file.descriptor < 0 || ::fstat(file.descriptor, &status) != 0) fail_reading(name, reason());
  if (S_ISDIR(status.st_mode)) fail_reading(name, "it is a directory");
  if (S_ISREG(status.st_mode) && status.st_size > static_cast<off_t>(largest_text))
    fail_large(name);
  std::string text;
  std::size_t size = 0;
  while (true) {
    if (size == text.size()) text.resize(std::max<std::size_t>(2 * size, std::size_t{64} << 10));
    const ssize_t count = ::read(file.descriptor, text.data() + size, text.size() - size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_reading(name, reason());
    if (count == 0) break;
    size += static_cast<std::size_t>(count);
    if (size > largest_text) fail_large(name);
  }
  text.resize(size);
  return text;
}

std::vector<std::uint32_t> find_lines(std::string_view text) {
  std::vector<std::uint32_t> starts{0};
  for (auto at = text.find('\n'); at != text.npos; at = text.find('\n', at + 1))
    starts.push_back(static_cast<std::uint32_t>(at + 1));
  return starts;
}

}  // namespace

TextPosition Contents::position(std::size_t offset) const {
  const auto next = std::upper_bound(line_starts.begin(), line_starts.end(), offset);
  const std::size_t start = next[-1];
  return {name, static_cast<int>(next - line_starts.begin()),
          character_count(std::string_view(text).substr(start, offset - start)) + 1};
}

std::string_view Contents::line_at(std::size_t offset) const {
  const std::size_t start = *(std::upper_bound(line_starts.begin(), line_starts.end(), offset) - 1);
  std::string_view line = std::string_view(text).substr(start);
  line = line.substr(0, line.find('\n'));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::string_view Contents::token_at(std::size_t offset) const {
  const std::string_view rest = std::string_view(text).substr(offset);
  if (rest.empty()) return rest;
  std::size_t length = 1;
  if (rest[0] == '"') {
    while (length < rest.size() && rest[length] != '"' && rest[length] != '\n')
      length += rest[length] == '\\' ? 2 : 1;
    length = std::min(length + (length < rest.size() && rest[length] == '"'), rest.size());
  } else {
    const auto in_word = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             c == '.' || c == '+' || c == '-' || c == '_';
    };
    if (in_word(rest[0]))
      while (length < rest.size() && in_word(rest[length])) ++length;
    const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; };
    while (length < rest.size() && continues(rest[length])) ++length;  // one character of UTF-8
  }
  return rest.substr(0, length);
}

void Contents::fail(std::size_t offset, std::string_view message) const {
  throw InputError(position(offset), message, line_at(offset),
                   std::max(1, character_count(token_at(offset))));
}

Document::Document(std::unique_ptr<Contents> contents) : contents_(std::move(contents)) {}
Document::Document(Document&&) noexcept = default;
Document& Document::operator=(Document&&) noexcept = default;
Document::~Document() = default;

std::string load_text(const std::filesystem::path& path) { return read_text(path, path.string()); }

Document Document::load(const std::filesystem::path& path) {
  const std::string name = path.string();
  return parse(read_text(path, name), name);
}

Document Document::parse(std::string text, std::string name) {
  if (text.size() > largest_text) fail_large(name);
  if (text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);  // byte order mark
  auto contents = std::make_unique<Contents>();
  contents->line_starts = find_lines(text);
  contents->text = std::move(text);
  contents->name = std::move(name);
  read_nodes(*contents);
  return Document(std::move(contents));
}

Value Document::root() const { return Value(contents_.get(), contents_->nodes.data()); }

}  // namespace dsim::json
