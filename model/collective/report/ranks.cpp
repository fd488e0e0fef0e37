#include "model/collective/report/ranks.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>

#include "sim/base/error.h"
#include "sim/base/source_line.h"

namespace dsim {
namespace {

/// Reads the text from its beginning, item by item.
class RankReader {
 public:
  RankReader(std::string_view flag, std::string_view text, std::size_t gpu_count)
      : flag_(flag), text_(text), rest_(text), taken_(gpu_count, false) {}

  std::vector<GpuId> read() {
    for (;;) {
      read_item();
      if (rest_.empty()) break;
      if (!skip(',')) fail(fmt::format("unexpected '{}'", excerpt(rest_, 16)));
    }
    if (ranks_.size() < 2) fail("a communicator needs two ranks");
    return std::move(ranks_);
  }

 private:
  [[noreturn]] void fail(std::string_view message) const {
    throw InputError(fmt::format("{} '{}': {}", flag_, excerpt(text_), message));
  }
  bool skip(char c) {
    while (rest_.starts_with(' ')) rest_.remove_prefix(1);
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  std::int64_t number() {
    while (rest_.starts_with(' ')) rest_.remove_prefix(1);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error == std::errc::result_out_of_range) fail("a number is too large");
    if (error != std::errc() || value < 0)
      fail("expected GPU numbers from 0 on, such as 0-7, 0,8,16 or 0-63:8");
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }
  void read_item() {
    const std::int64_t first = number();
    std::int64_t last = first, stride = 1;
    if (skip('-')) {
      last = number();
      if (skip(':')) stride = number();
    }
    if (last < first) fail(fmt::format("{}-{} runs backwards (list them: 3,2,1,0)", first, last));
    if (stride == 0) fail("a stride of 0 never ends");
    for (std::int64_t gpu = first; gpu <= last; gpu += stride) {
      take(gpu);
      if (stride > last - gpu) break;
    }
  }
  void take(std::int64_t gpu) {
    if (gpu >= static_cast<std::int64_t>(taken_.size()))
      fail(fmt::format("GPU {} does not exist; the topology has {} (0 to {})", gpu, taken_.size(),
                       taken_.size() - 1));
    const auto index = static_cast<std::size_t>(gpu);
    if (taken_[index])
      fail(fmt::format("GPU {} is named twice; NCCL refuses such a communicator", gpu));
    taken_[index] = true;
    ranks_.emplace_back(index);
  }

  std::string_view flag_, text_, rest_;
  std::vector<bool> taken_;
  std::vector<GpuId> ranks_;
};

}  // namespace

std::vector<GpuId> parse_ranks(std::string_view flag, std::string_view text,
                               std::size_t gpu_count) {
  return RankReader(flag, text, gpu_count).read();
}

std::string ranks_text(const std::vector<GpuId>& ranks) {
  std::string text;
  for (std::size_t i = 0; i < ranks.size();) {
    if (text.size() > 48) return text + ",...";
    std::size_t end = i + 1;
    const std::int64_t stride =
        end < ranks.size() ? std::int64_t{ranks[end].value} - ranks[i].value : 0;
    while (stride > 0 && end < ranks.size() &&
           std::int64_t{ranks[end].value} - ranks[end - 1].value == stride)
      ++end;
    if (end - i < 3) end = i + 1;  // pairs stand for themselves
    if (!text.empty()) text += ',';
    text += fmt::format("{}", ranks[i].value);
    if (end - i > 1) text += fmt::format("-{}", ranks[end - 1].value);
    if (end - i > 1 && stride > 1) text += fmt::format(":{}", stride);
    i = end;
  }
  return text;
}

}  // namespace dsim
