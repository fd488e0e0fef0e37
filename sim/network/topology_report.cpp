#include "sim/network/topology_report.h"

#include <fmt/format.h>
#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>

#include <algorithm>

#include "sim/base/quantity.h"
#include "sim/network/link_defaults.h"

namespace dsim {
namespace {

constexpr std::size_t columns = 80;
constexpr std::size_t margin = 13;  // where values begin
constexpr std::size_t most_classes = 14;

std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

/// Words that fill lines after a title; at most `most` lines.
std::string wrapped(std::string_view title, const std::vector<std::string>& words,
                    std::string_view separator, std::size_t most = 3) {
  std::string text, line = fmt::format("{:<{}}", title, margin);
  std::size_t lines = 1;
  bool fresh = true;
  for (std::size_t w = 0; w < words.size(); ++w) {
    if (!fresh && width(line) + width(separator) + width(words[w]) > columns) {
      if (lines == most) {
        text += line + " …\n";
        return text;
      }
      text += line + "\n";
      line.assign(margin, ' ');
      ++lines;
      fresh = true;
    }
    if (!fresh) line += separator;
    line += words[w];
    fresh = false;
  }
  return text + line + "\n";
}

/// The description in lines that break at ", ".
std::string headline(const TopologySummary& summary) {
  std::string text, line, rest = summary.description;
  while (!rest.empty()) {
    const auto comma = rest.find(", ");
    std::string part = rest.substr(0, comma == std::string::npos ? comma : comma + 2);
    rest.erase(0, part.size());
    if (!line.empty() && width(line) + width(part) > columns) {
      line.erase(line.find_last_not_of(' ') + 1);
      text += line + "\n";
      line = "  ";
    }
    line += part;
  }
  return text + line + "\n";
}

std::string rate(const LinkClass& links) {
  const bool network = is_network(links.kind);
  return network ? format_bandwidth_bits(links.bandwidth) : format_bandwidth_bytes(links.bandwidth);
}

std::string link_table(const TopologySummary& summary) {
  std::string text = fmt::format("{:<{}}{:<10}{:<22}{:>11}{:>11}{:>12}\n", "Links", margin, "kind",
                                 "between", "one way", "latency", "number");
  for (std::size_t c = 0; c < summary.links.size(); ++c) {
    const LinkClass& links = summary.links[c];
    if (c + 1 == most_classes && summary.links.size() > most_classes)
      return text + fmt::format("{:<{}}and {} more classes (--json)\n", "", margin,
                                summary.links.size() - c);
    text += fmt::format("{:<{}}{:<10}{:<22}{:>11}{:>11}{:>12}\n", "", margin, name_of(links.kind),
                        fmt::format("{} - {}", name_of(links.from), name_of(links.to)), rate(links),
                        format_time(links.latency.seconds()),
                        format_count(static_cast<double>(links.links)));
  }
  return text;
}

std::string bisection(const TopologySummary& summary) {
  if (summary.gpus < 2) return "";
  const std::string between = summary.nodes > 1 ? "half of the nodes to the other half"
                                                : "half of the GPUs to the other half";
  std::string text = fmt::format("{:<{}}{} one way, {}", "Bisection", margin,
                                 format_bandwidth_bytes(summary.bisection), between);
  if (summary.half_of_nics.bytes_per_second > 0)
    text += fmt::format(
        "\n{:<{}}{} of what their NICs can send", "", margin,
        format_percent(summary.bisection.bytes_per_second / summary.half_of_nics.bytes_per_second));
  return text + "\n";
}

std::string gpu_nic_map(const TopologySummary& summary) {
  std::vector<std::string> words;
  bool crosses = false;
  for (std::size_t g = 0; g < summary.gpu_nics.size(); ++g) {
    std::string word = fmt::format("{}:", g);
    for (const std::size_t nic : summary.gpu_nics[g].nics)
      word += fmt::format("{}{}", word.back() == ':' ? "" : ",", nic);
    if (summary.gpu_nics[g].crosses_cpu) word += '*';
    crosses = crosses || summary.gpu_nics[g].crosses_cpu;
    words.push_back(std::move(word));
  }
  if (summary.nics_per_node == 0) return fmt::format("{:<{}}no NICs\n", "GPU:NIC", margin);
  if (crosses) words.push_back("(* through a CPU)");
  return wrapped("GPU:NIC", words, "  ");
}

}  // namespace

std::string topology_text(const TopologySummary& summary) {
  std::string text = headline(summary);
  text += fmt::format("\n{:<{}}{} × {}, {} node{}, {} CPUs\n", "GPUs", margin,
                      format_count(static_cast<double>(summary.gpus)), summary.gpu_model,
                      format_count(static_cast<double>(summary.nodes)),
                      summary.nodes == 1 ? "" : "s", summary.cpu_vendor);
  std::vector<std::string> counts;
  for (const VertexCount& vertices : summary.vertices)
    counts.push_back(fmt::format("{} {}", format_count(static_cast<double>(vertices.count)),
                                 name_of(vertices.kind)));
  text += wrapped("Vertices", counts, " · ");
  text += link_table(summary);
  text += bisection(summary);
  if (summary.gpus > 1)
    text += fmt::format("{:<{}}{} links, {} switch{} ({} routing)\n", "Farthest", margin,
                        summary.longest_route, summary.most_switches,
                        summary.most_switches == 1 ? "" : "es", name_of(summary.routing));
  return text + gpu_nic_map(summary);
}

std::string topology_json(const TopologySummary& summary) {
  rapidjson::StringBuffer buffer;
  rapidjson::PrettyWriter<rapidjson::StringBuffer> json(buffer);
  json.SetIndent(' ', 2);
  const auto text = [&](std::string_view value) {
    json.String(value.data(), static_cast<rapidjson::SizeType>(value.size()));
  };
  const auto key = [&](std::string_view name) {
    json.Key(name.data(), static_cast<rapidjson::SizeType>(name.size()));
  };
  const auto put = [&](std::string_view name, std::string_view value) { key(name), text(value); };
  const auto count = [&](std::string_view name, std::size_t value) {
    key(name), json.Uint64(value);
  };
  const auto number = [&](std::string_view name, double value) { key(name), json.Double(value); };
  json.StartObject();
  put("format", "dsim.topology-summary/1");
  put("name", summary.name);
  put("description", summary.description);
  put("gpu", summary.gpu_model);
  put("cpu", summary.cpu_vendor);
  put("routing", name_of(summary.routing));
  count("nodes", summary.nodes);
  count("gpus", summary.gpus);
  count("gpus_per_node", summary.gpus_per_node);
  count("nics_per_node", summary.nics_per_node);
  key("vertices");
  json.StartObject();
  for (const VertexCount& vertices : summary.vertices)
    count(name_of(vertices.kind), vertices.count);
  json.EndObject();
  key("links");
  json.StartArray();
  for (const LinkClass& links : summary.links) {
    json.StartObject();
    put("kind", name_of(links.kind));
    key("between");
    json.StartArray();
    text(name_of(links.from));
    text(name_of(links.to));
    json.EndArray();
    number("bandwidth_bytes_per_s", links.bandwidth.bytes_per_second);
    number("latency_s", links.latency.seconds());
    count("one_way_links", links.links);
    json.EndObject();
  }
  json.EndArray();
  number("bisection_bytes_per_s", summary.bisection.bytes_per_second);
  number("half_of_nics_bytes_per_s", summary.half_of_nics.bytes_per_second);
  count("longest_route_links", summary.longest_route);
  count("longest_route_switches", static_cast<std::size_t>(summary.most_switches));
  key("gpu_nics");
  json.StartArray();
  for (const GpuNics& entry : summary.gpu_nics) {
    json.StartArray();
    for (const std::size_t nic : entry.nics) json.Uint64(nic);
    json.EndArray();
  }
  json.EndArray();
  json.EndObject();
  return std::string(buffer.GetString(), buffer.GetSize()) + "\n";
}

}  // namespace dsim
