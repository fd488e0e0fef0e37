#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "sim/base/error.h"
#include "sim/base/spelling.h"

namespace dsim {

/// A table of plain rows with a `name` and a `help` member (algorithms, models, fabrics...).
/// An unknown name lists the known ones and the nearest.
template <class Row>
class Registry {
 public:
  Registry(std::string_view what, std::vector<const Row*> rows) : what_(what), rows_(std::move(rows)) {}

  const Row* find(std::string_view name) const {
    for (const Row* row : rows_)
      if (row->name == name) return row;
    return nullptr;
  }
  const Row& at(std::string_view name) const {
    if (const Row* row = find(name)) return *row;
    const auto known = names();
    throw InputError(unknown_name(what_, name, known));
  }
  std::vector<std::string_view> names() const {
    std::vector<std::string_view> result;
    for (const Row* row : rows_) result.push_back(row->name);
    return result;
  }
  std::span<const Row* const> rows() const { return rows_; }

 private:
  std::string_view what_;
  std::vector<const Row*> rows_;
};

}  // namespace dsim
