#include "model/workload/layer_file.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <utility>

#include "sim/base/spelling.h"

namespace dsim {
namespace {

constexpr std::int64_t widest = 1 << 20, most_entries = 1 << 30, largest_window = 64,
                       largest_side = 1 << 16;
constexpr std::int64_t most_rows = 1 << 26, most_layers = 100'000;

/// Dimensions of one operation. `rows` is by default the sequence.
class Reading {
 public:
  Reading(json::ObjectReader& reader, const LayerFile& file) : reader_(reader), file_(file) {}

  std::int64_t size(std::string_view key, std::int64_t high = widest) {
    return reader_.at(key).as_integer(1, high);
  }
  std::int64_t size_or(std::string_view key, std::int64_t other, std::int64_t high = widest) {
    const auto value = reader_.find(key);
    return value ? value->as_integer(1, high) : other;
  }
  std::int64_t rows() {  // 0 = as long as the sequence
    const auto value = reader_.find("rows");
    return value ? value->as_integer(1, most_rows) : file_.sequence > 0 ? 0 : 1;
  }
  bool flag(std::string_view key, bool other) {
    const auto value = reader_.find(key);
    return value ? value->as_bool() : other;
  }
  double passes(std::string_view key, double other) {
    const auto value = reader_.find(key);
    if (!value) return other;
    const double number = value->as_number();
    if (number < 0 || number > 1000) value->fail("expected a number of passes from 0 to 1000");
    return number;
  }
  double bytes(std::string_view key) {
    const auto value = reader_.find(key);
    return value ? static_cast<double>(value->as_bytes().count) : 0;
  }
  /// `value` must divide `whole`.
  void divides(std::string_view key, std::int64_t part, const char* what, std::int64_t whole) {
    if (whole % part != 0)
      reader_.at(key).fail(
          fmt::format("expected a divisor of the {} {}, found {}", whole, what, part));
  }

 private:
  json::ObjectReader& reader_;
  const LayerFile& file_;
};

OperationSpec linear(Reading& read) {
  return LinearSpec{read.size("inputs"), read.size("outputs"), read.rows(),
                    read.flag("bias", true)};
}
OperationSpec attention(Reading& read) {
  AttentionSpec spec;
  spec.heads = read.size("heads");
  spec.kv_heads = read.size_or("kv_heads", spec.heads);
  spec.head_size = read.size("head_size");
  spec.causal = read.flag("causal", true);
  read.divides("kv_heads", spec.kv_heads, "heads", spec.heads);
  return spec;
}
OperationSpec convolution(Reading& read) {
  ConvolutionSpec spec;
  spec.inputs = read.size("inputs");
  spec.outputs = read.size("outputs");
  spec.side = read.size("side", largest_side);
  spec.kernel = read.size_or("kernel", 1, largest_window);
  spec.stride = read.size_or("stride", 1, largest_window);
  spec.groups = read.size_or("groups", 1);
  read.divides("groups", spec.groups, "inputs", spec.inputs);
  read.divides("groups", spec.groups, "outputs", spec.outputs);
  return spec;
}
OperationSpec layer_norm(Reading& read) {
  return NormSpec{read.size("width"), read.rows(), NormKind::layer_norm};
}
OperationSpec rms_norm(Reading& read) {
  return NormSpec{read.size("width"), read.rows(), NormKind::rms_norm};
}
OperationSpec batch_norm(Reading& read) {
  return BatchNormSpec{read.size("channels"), read.size("side", largest_side)};
}
OperationSpec embedding(Reading& read) {
  return EmbeddingSpec{read.size("entries", most_entries), read.size("width"), read.rows()};
}
OperationSpec elementwise(Reading& read) {
  return ElementwiseSpec{read.size("width"), read.rows(), read.passes("forward", 2),
                         read.passes("backward", 3), read.flag("saved", true)};
}
OperationSpec product_of(Reading& read) {
  return ProductSpec{read.size("m"), read.size("n"), read.size("k"), read.size_or("batch", 1)};
}
OperationSpec memory(Reading& read) {
  return MemorySpec{read.bytes("forward"), read.bytes("backward"), read.bytes("saved")};
}
OperationSpec loss(Reading& read) { return LossSpec{read.size("classes"), read.rows()}; }

struct OperationKind {
  std::string_view name;
  OperationSpec (*read)(Reading& reading);
  bool needs_sequence = false;
};
constexpr OperationKind operation_kinds[] = {
    {"linear", linear},       {"attention", attention, true},
    {"conv", convolution},    {"layer_norm", layer_norm},
    {"rms_norm", rms_norm},   {"batch_norm", batch_norm},
    {"embedding", embedding}, {"elementwise", elementwise},
    {"gemm", product_of},     {"memory", memory},
    {"loss", loss},
};

NamedOperation read_operation(const json::Value& value, const LayerFile& file) {
  json::ObjectReader reader(value);
  const json::Value op = reader.at("op");
  std::vector<std::string_view> known;
  const OperationKind* kind = nullptr;
  for (const OperationKind& row : operation_kinds) {
    known.push_back(row.name);
    if (row.name == op.as_string()) kind = &row;
  }
  if (kind == nullptr) op.fail(unknown_name("operation", op.as_string(), known));
  if (kind->needs_sequence && file.sequence == 0)
    op.fail(fmt::format("'{}' needs a \"sequence\" in the file", kind->name));
  NamedOperation operation;
  const auto name = reader.find("name");
  operation.name = name ? name->as_string() : kind->name;
  Reading reading(reader, file);
  operation.spec = kind->read(reading);
  reader.finish();
  return operation;
}

LayerRole role_of(const json::Value& value) {
  constexpr std::pair<std::string_view, LayerRole> roles[] = {
      {"embedding", LayerRole::embedding}, {"block", LayerRole::block}, {"head", LayerRole::head}};
  std::vector<std::string_view> known;
  for (const auto& [name, role] : roles) {
    if (value.as_string() == name) return role;
    known.push_back(name);
  }
  value.fail(unknown_name("role", value.as_string(), known));
}

LayerSpec read_layer(const json::Value& value, const LayerFile& file) {
  json::ObjectReader reader(value);
  LayerSpec layer;
  layer.name = reader.at("name").as_string();
  if (const auto role = reader.find("role")) layer.role = role_of(*role);
  if (const auto repeat = reader.find("repeat")) layer.repeat = repeat->as_integer(1, most_layers);
  if (const auto output = reader.find("output"))
    layer.output_bytes = static_cast<double>(output->as_bytes().count);
  const json::Value operations = reader.at("ops");
  json::Problems problems;
  for (const json::Value& operation : operations.elements())
    problems.attempt([&] { layer.operations.push_back(read_operation(operation, file)); });
  problems.raise();
  if (layer.operations.empty()) operations.fail("a layer needs at least one operation");
  reader.finish();
  return layer;
}

void read_layers(const json::Value& list, LayerFile& file) {
  json::Problems problems;
  double count = 0;
  for (const json::Value& value : list.elements())
    problems.attempt([&] {
      file.layers.push_back(read_layer(value, file));
      const LayerSpec& layer = file.layers.back();
      count += static_cast<double>(layer.repeat) * static_cast<double>(layer.operations.size());
    });
  problems.raise();
  if (file.layers.empty()) list.fail("a network needs at least one layer");
  if (count > most_layers)
    list.fail(fmt::format("{} operations are more than the {} that are built", count, most_layers));
}

/// A kind that owns the layers its row points to.
struct OwnedFile {
  LayerFile file;
  ModelKind kind{};
};

}  // namespace

std::shared_ptr<const ModelKind> layer_model(const json::Value& root) {
  auto owned = std::make_shared<OwnedFile>();
  LayerFile& file = owned->file;
  json::ObjectReader reader(root);
  const json::Value format = reader.at("format");
  if (format.as_string() != layer_format)
    format.fail(fmt::format("expected \"{}\", found \"{}\"", layer_format, format.as_string()));
  const json::Value name = reader.at("name");
  file.name = name.as_string();
  if (file.name.empty()) name.fail("expected a name");
  const auto title = reader.find("title");
  file.title = title ? title->as_string() : file.name;
  if (const auto sequence = reader.find("sequence"))
    file.sequence = sequence->as_integer(1, most_rows);
  const auto unit = reader.find("samples");
  file.sample_unit = unit ? std::string(unit->as_string())
                          : std::string(file.sequence > 0 ? "sequences" : "samples");
  if (const auto batch = reader.find("micro_batch"))
    file.micro_batch = batch->as_integer(1, 1 << 20);
  const auto optimizer = reader.find("optimizer");
  file.optimizer = optimizer ? optimizer->as_string() : "adamw";
  if (const auto input = reader.find("input"))
    file.input_bytes = static_cast<double>(input->as_bytes().count);
  read_layers(reader.at("layers"), file);
  reader.finish();
  file.help = fmt::format("{} from a layer file", file.title);
  owned->kind = {file.name,      file.help,    file.micro_batch, file.sequence,
                 file.optimizer, build_layers, nullptr,          &file};
  return {owned, &owned->kind};
}

}  // namespace dsim
