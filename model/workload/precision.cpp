#include <array>
#include <stdexcept>
#include <utility>

#include "model/workload/model.h"
#include "sim/base/error.h"
#include "sim/base/spelling.h"

namespace dsim {
namespace {

constexpr std::array<std::string_view, 5> precision_names{"fp32", "tf32", "fp16", "bf16", "fp8"};
constexpr std::array<std::string_view, 3> fusion_names{"eager", "jit", "compile"};
constexpr std::array<std::string_view, 6> attention_names{"automatic", "flash1", "flash2",
                                                          "flash3",    "cudnn",  "unfused"};
constexpr std::array<std::string_view, 4> recompute_names{"none", "selective", "full", "every_nth"};
constexpr std::array<std::string_view, 3> exchange_names{"ring", "gather", "all_to_all"};

template <class Enum, std::size_t N>
Enum from_name(std::string_view what, std::string_view name,
               const std::array<std::string_view, N>& names) {
  for (std::size_t i = 0; i < N; ++i)
    if (names[i] == name) return static_cast<Enum>(i);
  throw InputError(unknown_name(what, name, names));
}

}  // namespace

std::string_view name_of(Precision precision) {
  return precision_names.at(static_cast<std::size_t>(precision));
}

Precision precision_from(std::string_view name) {
  return from_name<Precision>("precision", name, precision_names);
}

std::string_view name_of(Fusion fusion) {
  return fusion_names.at(static_cast<std::size_t>(fusion));
}

Fusion fusion_from(std::string_view name) {
  return from_name<Fusion>("fusion", name, fusion_names);
}

std::string_view name_of(AttentionKernel kernel) {
  return attention_names.at(static_cast<std::size_t>(kernel));
}

AttentionKernel attention_kernel_from(std::string_view name) {
  return from_name<AttentionKernel>("attention", name, attention_names);
}

std::string_view name_of(Recompute recompute) {
  return recompute_names.at(static_cast<std::size_t>(recompute));
}

Recompute recompute_from(std::string_view name) {
  return from_name<Recompute>("recomputation", name, recompute_names);
}

std::string_view name_of(ContextExchange exchange) {
  return exchange_names.at(static_cast<std::size_t>(exchange));
}

ContextExchange context_exchange_from(std::string_view name) {
  return from_name<ContextExchange>("context exchange", name, exchange_names);
}

int element_bytes(Precision precision) {
  switch (precision) {
    case Precision::fp32:
    case Precision::tf32:
      return 4;
    case Precision::fp16:
    case Precision::bf16:
      return 2;
    case Precision::fp8:
      return 1;
  }
  throw std::logic_error("element_bytes: not a precision");
}

int activation_bytes(Precision precision) {
  return precision == Precision::fp8 ? 2 : element_bytes(precision);
}

bool casts_weights(Precision precision) {
  return precision != Precision::fp32 && precision != Precision::tf32;
}

}  // namespace dsim
