#include "model/workload/blocks/elementwise.h"

#include <utility>

#include "model/workload/kernels.h"

namespace dsim {
namespace {

void append_unary(ModelBuilder& builder, const std::string& label, std::int64_t elements,
                  double saved_bytes) {
  const double pass = builder.activation_bytes() * product(elements);
  Operation operation;
  operation.forward.push_back(memory_kernel(label, Pass::forward, 2 * pass));
  operation.backward.push_back(memory_kernel(label + ".backward", Pass::dgrad, 3 * pass));
  operation.saved_bytes = saved_bytes;
  builder.append(std::move(operation));
}

}  // namespace

void append_gelu(ModelBuilder& builder, const std::string& label, std::int64_t elements) {
  append_unary(builder, label, elements, builder.activation_bytes() * product(elements));
}

void append_tanh(ModelBuilder& builder, const std::string& label, std::int64_t elements) {
  append_unary(builder, label, elements, builder.activation_bytes() * product(elements));
}

void append_dropout(ModelBuilder& builder, const std::string& label, std::int64_t elements) {
  const double bytes = (2 * builder.activation_bytes() + 1) * product(elements);
  Operation operation;
  operation.forward.push_back(memory_kernel(label, Pass::forward, bytes));
  operation.backward.push_back(memory_kernel(label + ".backward", Pass::dgrad, bytes));
  operation.saved_bytes = product(elements);
  builder.append(std::move(operation));
}

void append_residual_add(ModelBuilder& builder, const std::string& label, std::int64_t elements,
                         bool dropout) {
  const double pass = builder.activation_bytes() * product(elements);
  const double mask = dropout ? product(elements) : 0;
  if (builder.fusion() == Fusion::compile) return;  // counted by append_layer_norm; no mask is kept
  if (dropout && builder.fusion() == Fusion::eager)
    append_dropout(builder, label + ".dropout", elements);
  Operation operation;
  if (builder.fusion() == Fusion::jit) {
    operation.forward.push_back(memory_kernel(label, Pass::forward, 3 * pass + mask));
    if (dropout)
      operation.backward.push_back(
          memory_kernel(label + ".backward", Pass::dgrad, 2 * pass + mask));
    operation.saved_bytes = mask;
  } else {
    operation.forward.push_back(memory_kernel(label, Pass::forward, 3 * pass));
  }
  builder.append(std::move(operation));
}

void append_gradient_sum(ModelBuilder& builder, const std::string& label, std::int64_t elements,
                         int uses) {
  if (builder.fusion() == Fusion::compile) return;
  Operation operation;
  for (int use = 1; use < uses; ++use)
    operation.backward.push_back(memory_kernel(label + ".gradient_sum", Pass::dgrad,
                                               3 * builder.activation_bytes() * product(elements)));
  builder.append(std::move(operation));
}

void append_copy(ModelBuilder& builder, const std::string& label, std::int64_t elements,
                 double forward_passes, double backward_passes, int launches) {
  const double pass = builder.activation_bytes() * product(elements);
  Operation operation;
  if (forward_passes > 0)
    operation.forward.push_back(
        memory_kernel(label, Pass::forward, forward_passes * pass, launches));
  if (backward_passes > 0)
    operation.backward.push_back(
        memory_kernel(label + ".backward", Pass::dgrad, backward_passes * pass, launches));
  builder.append(std::move(operation));
}

void append_row_selection(ModelBuilder& builder, const std::string& label, std::int64_t rows,
                          std::int64_t selected, std::int64_t width) {
  const double e = builder.activation_bytes();
  Operation operation;
  operation.forward.push_back(
      memory_kernel(label, Pass::forward, 2 * e * product(selected, width)));
  operation.backward.push_back(
      memory_kernel(label + ".backward", Pass::dgrad,
                    e * product(rows, width) + 2 * e * product(selected, width), 2));
  builder.append(std::move(operation));
}

}  // namespace dsim
