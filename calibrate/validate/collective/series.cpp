#include "calibrate/validate/collective/series.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <optional>
#include <regex>
#include <span>

#include "calibrate/validate/row_inputs.h"
#include "calibrate/validate/text_pattern.h"
#include "model/collective/data_type.h"

namespace dsim {
namespace {

using Row = RowInputs;

std::string stem_of(const CsvTable& table) {
  return std::filesystem::path(table.name()).stem().string();
}

std::string text(const Row& row, std::string_view column) { return std::string(row.text(column)); }

std::int64_t whole(const Row& row, std::string_view column) {
  const auto value = parse_table_number(row.text(column));
  return value && *value >= 1 && *value <= 1e9 ? static_cast<std::int64_t>(*value) : 0;
}

/// The layout of nccl-tests: each fact is a column or a remark.
StatedRun nccl_tests_run(const Row& row) {
  StatedRun run{.source = text(row, "source"),
                .date = text(row, "date"),
                .gpu = text(row, "gpu"),
                .intra_link = text(row, "intra_link"),
                .inter_link = text(row, "inter_link"),
                .nccl_version = text(row, "nccl_version"),
                .env = text(row, "env"),
                .algorithm = text(row, "algo_forced"),
                .protocol = text(row, "proto_forced"),
                .collective = text(row, "collective"),
                .dtype = text(row, "dtype"),
                .healthy = text(row, "healthy"),
                .note = text(row, "note"),
                .nodes = whole(row, "nodes"),
                .gpus_per_node = whole(row, "gpus_per_node"),
                .ranks = whole(row, "ranks")};
  if (run.algorithm == "none") run.algorithm.clear();
  if (run.protocol == "none") run.protocol.clear();
  return run;
}

/// aiconfigurator's nccl_perf: one node, nccl-tests with one process a GPU.
StatedRun latency_run(const Row& row) {
  StatedRun run{.source = "github.com/ai-dynamo/aiconfigurator",
                .date = text(row, "date"),
                .gpu = text(row, "device"),
                .inter_link = "none (single node)",
                .nccl_version = text(row, "nccl_version"),
                .collective = text(row, "op_name"),
                .dtype = text(row, "nccl_dtype"),
                .healthy = "yes",
                .nodes = 1,
                .gpus_per_node = whole(row, "num_gpus")};
  // The version is no column of this layout; it stands in the name (nccl_h100_sxm_2.29.2.tsv).
  static const std::regex version(R"(_(2\.[0-9]+\.[0-9]+)$)");
  std::smatch found;
  const std::string name = stem_of(row.table());
  if (run.nccl_version.empty() && std::regex_search(name, found, version))
    run.nccl_version = found[1];
  run.ranks = run.gpus_per_node;
  return run;
}

/// vTrain's all-reduce tables; GPU and their number stand in the line `# source:`.
StatedRun vtrain_run(const Row& row) {
  const std::string source = text(row, "source");
  StatedRun run{.source = "github.com/VIA-Research/vTrain",
                .gpu = text(row, "gpu"),
                .inter_link = "none (single node)",
                .collective = "all_reduce",
                .dtype = text(row, "dtype"),
                .healthy = "yes",
                .nodes = 1,
                .gpus_per_node = whole(row, "gpus_per_node")};
  std::smatch found;
  static const std::regex folder(R"(trace/([a-z0-9]+)/)"), gpus(R"(([0-9]+) GPUs of one node)");
  if (run.gpu.empty() && std::regex_search(source, found, folder)) run.gpu = found[1];
  if (run.gpus_per_node == 0 && std::regex_search(source, found, gpus))
    run.gpus_per_node = std::stol(found[1].str().substr(0, 9));
  run.ranks = run.gpus_per_node;
  return run;
}

/// CSCS's table of two transports on the same 2 x 4 GH200, known by its columns.
StatedRun transports_run(const Row& row) {
  const bool sockets = matches(row.text("transport"), "tcp|sockets|socket");
  return {.source = "github.com/eth-cscs/cscs-docs:docs/software/communication/nccl.md",
          .date = "2025-12-03",
          .gpu = "GH200-120GB",
          .intra_link = "NVLink4 (4 GPUs, point to point)",
          .inter_link = sockets ? "TCP sockets over Slingshot (CXI hook off)"
                                : "4x 200G Slingshot-11 (libfabric CXI)",
          .collective = "all_reduce",
          .dtype = "float",
          .healthy = sockets ? "no" : "yes",
          .nodes = 2,
          .gpus_per_node = 4,
          .ranks = 8};
}

struct Layout {
  std::vector<std::string_view> columns;  ///< all of these
  MeasuredColumns measured;
  std::string_view size;  ///< column
  StatedRun (*stated)(const Row& row);
};

const std::vector<Layout>& layouts() {
  static const std::vector<Layout> rows{
      {{"op_name", "nccl_dtype", "num_gpus", "message_size", "latency"},
       MeasuredColumns::latency_ms,
       "message_size",
       latency_run},
      {{"transport", "bytes", "time_us_oop"}, MeasuredColumns::transports, "bytes", transports_run},
      {{"size_bytes", "count", "time_ns"}, MeasuredColumns::vtrain, "size_bytes", vtrain_run},
      {{"size_bytes", "busbw_gbps"}, MeasuredColumns::nccl_tests, "size_bytes", nccl_tests_run},
      {{"size_bytes", "time_us"}, MeasuredColumns::nccl_tests, "size_bytes", nccl_tests_run},
  };
  return rows;
}

/// Bytes of an element where sizes count elements.
double unit_of(const Layout& layout, const StatedRun& run) {
  if (layout.measured != MeasuredColumns::latency_ms) return 1;
  return static_cast<double>(size_of(data_type_by_name(run.dtype)).count);
}

/// "ring", where an algorithm was forced.
std::string forced(const StatedRun& run) {
  std::string text = run.algorithm;
  if (!run.protocol.empty()) text += (text.empty() ? "" : " ") + run.protocol;
  return text;
}

/// Adds to the names of runs of one table what tells them apart.
void tell_apart(std::span<CollectiveSeries> runs) {
  using Part = std::string (*)(const StatedRun& run);
  constexpr Part parts[] = {
      [](const StatedRun& run) { return run.gpu; },
      [](const StatedRun& run) { return fmt::format("{}x{}", run.nodes, run.gpus_per_node); },
      [](const StatedRun& run) { return run.collective; },
      [](const StatedRun& run) { return run.dtype; },
      [](const StatedRun& run) { return run.inter_link; },
      [](const StatedRun& run) { return run.nccl_version; },
      [](const StatedRun& run) { return run.date; },
      [](const StatedRun& run) { return run.env.empty() ? forced(run) : run.env; },
  };
  std::vector<std::string> names(runs.size());
  for (const Part part : parts) {
    const std::string first = part(runs[0].stated);
    if (std::ranges::all_of(runs, [&](const auto& run) { return part(run.stated) == first; }))
      continue;
    for (std::size_t i = 0; i < runs.size(); ++i)
      if (const std::string text = part(runs[i].stated); !text.empty())
        names[i] += (names[i].empty() ? "" : " ") + text;
  }
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (!names[i].empty()) runs[i].name += ": " + names[i];
}

std::int64_t size_in_bytes(const Layout& layout, const Row& row, const StatedRun& run) {
  const auto size = row.number(layout.size);
  if (!size) throw Unpredictable{Obstacle::number, "no size"};
  const double bytes = *size * unit_of(layout, run);
  if (bytes < 0 || bytes >= 0x1p62 || bytes != std::floor(bytes))
    throw Unpredictable{Obstacle::number,
                        fmt::format("size {} is no whole number of bytes", row.text(layout.size))};
  return static_cast<std::int64_t>(bytes);
}

bool is_empty(const CsvTable& table, std::size_t row) {
  for (std::size_t column = 0; column < table.columns().size(); ++column)
    if (!table.cell(row, column).text.empty()) return false;
  return true;
}

}  // namespace

bool read_series(const CsvTable& table, std::vector<CollectiveSeries>& series,
                 std::vector<SeriesGap>& gaps) {
  const auto layout = std::ranges::find_if(layouts(), [&](const Layout& candidate) {
    return std::ranges::all_of(candidate.columns,
                               [&](std::string_view name) { return table.has_column(name); });
  });
  if (layout == layouts().end()) return false;
  const std::size_t first = series.size();
  const std::string name = stem_of(table);
  for (std::size_t r = 0; r < table.row_count(); ++r) {
    if (is_empty(table, r)) continue;
    const Row row(table, r);
    try {
      StatedRun stated = layout->stated(row);
      const std::int64_t bytes = size_in_bytes(*layout, row, stated);
      auto found = std::find_if(series.begin() + static_cast<std::ptrdiff_t>(first), series.end(),
                                [&](const CollectiveSeries& s) { return s.stated == stated; });
      if (found == series.end()) {
        series.push_back({name, &table, layout->measured, std::move(stated), {}});
        found = series.end() - 1;
      }
      found->rows.push_back({r, row.line(), bytes});
    } catch (const Unpredictable& obstacle) {
      gaps.push_back({name, row.line(), obstacle.reason});
    } catch (const InputError& error) {
      std::string reason(error.what());
      gaps.push_back({name, row.line(), reason.substr(0, reason.find('\n'))});
    }
  }
  if (series.size() > first) tell_apart(std::span(series).subspan(first));
  return true;
}

}  // namespace dsim
