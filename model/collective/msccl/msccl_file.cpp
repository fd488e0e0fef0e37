#include "model/collective/msccl/msccl_file.h"

#include <expat.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "model/collective/algorithm.h"
#include "sim/base/source_line.h"
#include "sim/base/spelling.h"

namespace dsim {

namespace {

// Far beyond what is written by hand or by tools; keeps a hostile file from taking memory.
constexpr std::uint32_t most_gpus = 1024, most_chunks = 65536;

constexpr std::array<std::string_view, 9> step_types = {"s",    "r",  "rcs", "rrc", "rrs",
                                                        "rrcs", "re", "cpy", "nop"};

std::string_view line_of(std::string_view text, int line) {
  std::size_t begin = 0;
  for (int l = 1; l < line; ++l) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) return {};
    begin = end + 1;
  }
  return text.substr(begin, text.find('\n', begin) - begin);
}

// Handlers of Expat. A C library cannot pass exceptions on: the first error is kept and parsing
// ends.
class Reader {
 public:
  explicit Reader(MscclFile& file) : file_(file), parser_(XML_ParserCreate("UTF-8")) {
    require(parser_ != nullptr, "Expat has no memory");
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(
        parser_.get(),
        [](void* self, const char* name, const char** attributes) {
          static_cast<Reader*>(self)->guard([&](Reader& r) { r.open(name, attributes); });
        },
        [](void* self, const char*) { --static_cast<Reader*>(self)->depth_; });
  }

  void run() {
    const std::string& text = file_.text;
    const XML_Status status =
        XML_Parse(parser_.get(), text.data(), static_cast<int>(text.size()), 1);
    if (error_) throw *error_;
    if (status != XML_STATUS_OK)
      throw file_.error_at(
          line(), column(),
          fmt::format("not XML: {}", XML_ErrorString(XML_GetErrorCode(parser_.get()))));
    if (file_.gpus.empty()) throw file_.error_at(file_.line, file_.column, "<algo> holds no <gpu>");
    if (file_.gpus.size() != gpus_)
      throw file_.error_at(
          file_.line, file_.column,
          fmt::format("<algo> says {} GPUs and holds {}", gpus_, file_.gpus.size()));
  }

 private:
  template <class Body>
  void guard(Body body) {
    if (error_) return;
    try {
      body(*this);
    } catch (const InputError& error) {
      error_ = error;
      XML_StopParser(parser_.get(), XML_FALSE);
    }
  }

  int line() const { return static_cast<int>(XML_GetCurrentLineNumber(parser_.get())); }
  int column() const { return static_cast<int>(XML_GetCurrentColumnNumber(parser_.get())) + 1; }
  [[noreturn]] void fail(const std::string& message) const {
    throw file_.error_at(line(), column(), message);
  }

  std::optional<std::string_view> find(std::string_view key) const {
    for (const char** a = attributes_; a[0] != nullptr; a += 2)
      if (key == a[0]) return a[1];
    return std::nullopt;
  }
  std::string_view text(std::string_view key) const {
    const auto value = find(key);
    if (!value) fail(fmt::format("<{}> needs {}=\"...\"", element_, key));
    return *value;
  }
  std::int32_t number(std::string_view key, std::int32_t low, std::int32_t high) const {
    const std::string_view value = text(key);
    std::int32_t result = 0;
    const auto [end, code] = std::from_chars(value.data(), value.data() + value.size(), result);
    if (code != std::errc{} || end != value.data() + value.size() || result < low || result > high)
      fail(fmt::format("{}=\"{}\": expected an integer from {} to {}", key, excerpt(value), low,
                       high));
    return result;
  }
  std::uint32_t count(std::string_view key, std::uint32_t high) const {
    return static_cast<std::uint32_t>(number(key, 0, static_cast<std::int32_t>(high)));
  }
  void in_order(std::string_view key, std::size_t expected) const {
    if (std::cmp_not_equal(number(key, 0, 1 << 20), expected))
      fail(fmt::format("{}=\"{}\": expected {}; ids count from 0", key, text(key), expected));
  }

  void open(std::string_view name, const char** attributes) {
    static constexpr std::array<std::string_view, 4> nesting = {"algo", "gpu", "tb", "step"};
    if (depth_ >= nesting.size()) fail(fmt::format("<{}> inside <step>", excerpt(name)));
    element_ = nesting[depth_];
    attributes_ = attributes;
    if (name != element_) fail(fmt::format("expected <{}>, found <{}>", element_, excerpt(name)));
    switch (depth_++) {
      case 0:
        return algo();
      case 1:
        return gpu();
      case 2:
        return block();
      default:
        return step();
    }
  }

  void algo() {
    file_.line = line();
    file_.column = column();
    file_.name = std::string(find("name").value_or("MSCCL program"));
    try {
      file_.op = collective_by_name(text("coll"));
    } catch (const InputError& error) {
      if (!error.position().file.empty()) throw;
      std::string message = error.what();
      if (message.starts_with("error: ")) message.erase(0, 7);
      fail(message);
    }
    gpus_ = count("ngpus", most_gpus);
    file_.chunks = static_cast<std::uint32_t>(number("nchunksperloop", 1, most_chunks));
    if (find("inplace")) file_.in_place = number("inplace", 0, 1) == 1;
  }

  void gpu() {
    in_order("id", file_.gpus.size());
    if (file_.gpus.size() >= gpus_) fail(fmt::format("<algo> says ngpus=\"{}\"", gpus_));
    file_.gpus.push_back({count("i_chunks", most_chunks),
                          count("o_chunks", most_chunks),
                          count("s_chunks", 16 * most_chunks),
                          {}});
  }

  void block() {
    auto& blocks = file_.gpus.back().blocks;
    in_order("id", blocks.size());
    const auto last = static_cast<std::int32_t>(gpus_) - 1;
    MscclThreadBlock& block = blocks.emplace_back();
    block.send_to = number("send", -1, last);
    block.receive_from = number("recv", -1, last);
    block.channel = count("chan", 1024);
    block.line = line();
    block.column = column();
  }

  MscclChunks chunks(std::string_view buffer, std::string_view offset) const {
    const std::string_view name = text(buffer);
    if (name != "i" && name != "o" && name != "s")
      fail(fmt::format("{}=\"{}\": expected i, o or s", buffer, excerpt(name)));
    return {name[0], count(offset, 16 * most_chunks)};
  }

  void step() {
    MscclThreadBlock& block = file_.gpus.back().blocks.back();
    in_order("s", block.steps.size());
    const std::string_view type = text("type");
    if (std::find(step_types.begin(), step_types.end(), type) == step_types.end())
      fail(unknown_name("step type", excerpt(type), step_types));
    MscclStep step;
    step.line = line();
    step.column = column();
    const bool local = type == "re" || type == "cpy" || type == "nop";
    step.receives = !local && type.starts_with('r');
    step.sends = !local && type.ends_with('s');
    step.adds = type == "re" || type.starts_with("rr");
    step.copies = type == "cpy" || type == "re";
    step.stores = step.copies || (step.receives && type != "rrs");
    if (step.receives && block.receive_from < 0) fail("a thread block with recv=\"-1\" receives");
    if (step.sends && block.send_to < 0) fail("a thread block with send=\"-1\" sends");
    if (type != "nop") {
      step.count = static_cast<std::uint32_t>(number("cnt", 1, most_chunks));
      if (step.copies || step.adds || !step.receives) step.source = chunks("srcbuf", "srcoff");
      if (step.stores) step.target = chunks("dstbuf", "dstoff");
    }
    if (find("depid")) step.after_block = number("depid", -1, 1 << 20);
    if (step.after_block >= 0) step.after_step = number("deps", -1, 1 << 20);
    if (step.after_step < 0) step.after_block = -1;
    block.steps.push_back(step);
  }

  MscclFile& file_;
  struct Free {
    void operator()(XML_Parser parser) const { XML_ParserFree(parser); }
  };
  std::unique_ptr<std::remove_pointer_t<XML_Parser>, Free> parser_;
  std::optional<InputError> error_;
  std::size_t depth_ = 0;
  std::uint32_t gpus_ = 0;
  std::string_view element_;
  const char** attributes_ = nullptr;
};

}  // namespace

InputError MscclFile::error_at(int at_line, int at_column, const std::string& message) const {
  return InputError({path, at_line, at_column}, message, line_of(text, at_line));
}

MscclFile parse_msccl_file(std::string text, std::string name) {
  MscclFile file;
  file.path = std::move(name);
  file.text = std::move(text);
  Reader(file).run();
  return file;
}

}  // namespace dsim
