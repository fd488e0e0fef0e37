#include "model/workload/blocks/embedding.h"

#include <utility>

#include "model/workload/kernels.h"

namespace dsim {
namespace {

// pytorch aten/src/ATen/native/cuda/Embedding.cu, embedding_dense_backward_cuda: up to 3,072 ids
// one kernel after the zero fill; above, the ids are sorted and their segments reduced (12 launches
// counted in the source; radix sort passes vary by two or so with the id range).
constexpr std::int64_t unsorted_ids = 3072;
constexpr int unsorted_launches = 2;
constexpr int sorted_launches = 12;

}  // namespace

Embedding declare_embedding(ModelBuilder& builder, std::string label, const std::string& path,
                            std::int64_t rows, std::int64_t width) {
  return {std::move(label), builder.parameter(path + ".weight", {rows, width}), rows, width};
}

void append_embedding(ModelBuilder& builder, const Embedding& table, std::int64_t tokens,
                      bool tied) {
  const double pass = builder.activation_bytes() * product(tokens, table.width);
  const double dense = 4 * product(table.rows, table.width);
  Operation operation;
  operation.forward.push_back(memory_kernel(table.label, Pass::forward, 2 * pass));
  operation.backward.push_back(
      memory_kernel(table.label + ".scatter_add", Pass::wgrad, 3 * pass + dense,
                    tokens <= unsorted_ids ? unsorted_launches : sorted_launches));
  if (tied)
    operation.backward.push_back(
        memory_kernel(table.label + ".tied_gradient_sum", Pass::wgrad, 3 * dense));
  operation.backward.back().completes = {table.weight};
  operation.saved_bytes = 8 * product(tokens);  // int64 ids
  builder.append(std::move(operation));
}

void append_embedding_sum(ModelBuilder& builder, const std::string& label, std::int64_t elements,
                          std::int64_t repeated) {
  const double pass = builder.activation_bytes() * product(elements);
  Operation operation;
  operation.forward.push_back(memory_kernel(label, Pass::forward, 3 * pass));
  if (repeated > 1)
    operation.backward.push_back(memory_kernel(label + ".gradient_sum", Pass::dgrad, pass));
  builder.append(std::move(operation));
}

}  // namespace dsim
