#pragma once
#include <string>

#include "sim/base/error.h"

namespace dsim::test {

/// What a user sees when `action` is done: the text of the InputError it throws, or "no error".
/// Other exceptions pass.
template <class Action>
std::string message_of(Action&& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace dsim::test
