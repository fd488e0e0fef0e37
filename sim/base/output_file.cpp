#include "sim/base/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include "sim/base/error.h"

namespace dsim {
namespace fs = std::filesystem;
namespace {

/// Where the bytes go in the end: symbolic links are followed, so that a rename does not replace
/// them.
fs::path resolved(const fs::path& path) {
  std::error_code error;
  const fs::path target = fs::canonical(path, error);
  return error ? path : target;
}

fs::path temporary_beside(const fs::path& target) {
  return target.parent_path() / fmt::format(".{}.{}.tmp", target.filename().string(), ::getpid());
}

bool written_directly(const fs::path& target) {
  std::error_code error;
  const fs::file_status status = fs::status(target, error);
  return fs::exists(status) && !fs::is_regular_file(status);
}

/// The reason why `path` cannot be opened for writing, or "".
std::string refusal(const fs::path& path, int flags) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | flags, 0666);
  if (descriptor < 0) return std::generic_category().message(errno);
  ::close(descriptor);
  return "";
}

/// Deletes the temporary unless it was put in place.
struct Temporary {
  fs::path path;
  ~Temporary() {
    std::error_code ignored;
    if (!path.empty()) fs::remove(path, ignored);
  }
};

}  // namespace

OutputFile::OutputFile(std::string setting, fs::path path)
    : setting_(std::move(setting)), path_(std::move(path)) {
  if (path_.empty()) throw InputError(fmt::format("{} needs the name of a file", setting_));
  const fs::path target = resolved(path_);
  std::string reason;
  std::error_code error;
  if (fs::is_directory(target, error) || !target.has_filename()) {
    reason = "it is a directory";
  } else if (written_directly(target)) {
    reason = refusal(target, O_NONBLOCK);
    if (fs::is_fifo(target, error)) reason = "";  // no reader yet: opening it later waits for one
  } else {
    if (fs::exists(target, error)) reason = refusal(target, 0);
    if (reason.empty()) {
      const Temporary temporary{temporary_beside(target)};
      reason = refusal(temporary.path, O_CREAT);
    }
  }
  if (!reason.empty())
    throw InputError(fmt::format("{} cannot write {}: {}", setting_, path_.string(), reason));
}

void OutputFile::write(const std::function<void(std::ostream&)>& write) const {
  const fs::path target = resolved(path_);
  const auto fail = [&] {
    throw std::runtime_error(fmt::format("{} cannot write {}: {}", setting_, path_.string(),
                                         std::generic_category().message(errno)));
  };
  const bool direct = written_directly(target);
  Temporary temporary{direct ? fs::path() : temporary_beside(target)};
  errno = EIO;
  std::ofstream out(direct ? target : temporary.path, std::ios::binary);
  if (!out) fail();
  write(out);
  errno = out ? 0 : errno;
  out.close();
  if (!out) fail();
  if (direct) return;
  std::error_code error;
  const fs::file_status old = fs::status(target, error);
  if (fs::exists(old)) fs::permissions(temporary.path, old.permissions(), error);
  if (::rename(temporary.path.c_str(), target.c_str()) != 0) fail();
  temporary.path.clear();
}

}  // namespace dsim
