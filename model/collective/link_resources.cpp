#include "model/collective/link_resources.h"

#include <algorithm>
#include <unordered_map>

#include "sim/base/error.h"
#include "sim/network/link_defaults.h"

namespace dsim {

namespace {

// How one link is loaded: by which channel (numbered over all schedules) and how often.
struct Entry {
  std::uint32_t column;
  double coefficient;
  bool operator==(const Entry&) const = default;
};

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash ^= value + 0x9e3779b97f4a7c15ull + (hash << 6) + (hash >> 2);
  return hash * 0xff51afd7ed558ccdull;
}

}  // namespace

LinkResources::LinkResources(const Topology& topology, std::span<const Schedule* const> schedules,
                             bool fold) {
  std::vector<std::vector<Entry>> by_link;
  std::vector<std::uint32_t> index_of(topology.link_count(), Id<LinkTag>::none);
  std::vector<LinkId> links;
  std::uint32_t column = 0;
  for (const Schedule* schedule : schedules)
    for (std::uint32_t channel = 0; channel < schedule->channels; ++channel, ++column)
      for (auto c = schedule->first_connection[channel];
           c < schedule->first_connection[channel + 1]; ++c) {
        const Connection& connection = schedule->connections[c];
        for (std::uint32_t i = 0; i < connection.link_count; ++i) {
          const LinkShare& share = schedule->links[connection.first_link + i];
          std::uint32_t& index = index_of[share.link.index()];
          if (index == Id<LinkTag>::none) {
            index = static_cast<std::uint32_t>(links.size());
            links.push_back(share.link);
            by_link.emplace_back();
          }
          auto& entries = by_link[index];
          if (!entries.empty() && entries.back().column == column)
            entries.back().coefficient += share.share;
          else
            entries.push_back({column, share.share});
        }
      }

  // Class of every link.
  std::vector<std::uint32_t> class_of(links.size());
  std::unordered_multimap<std::uint64_t, std::uint32_t> by_hash;  // -> representative link
  std::vector<std::uint32_t> representatives;
  for (std::uint32_t l = 0; l < links.size(); ++l) {
    const Link link = topology.link(links[l]);
    // Sums of shares may differ in the last bits; that must not split a class.
    std::uint64_t hash = static_cast<std::uint64_t>(link.kind);
    for (Entry& entry : by_link[l]) {
      entry.coefficient = static_cast<double>(static_cast<float>(entry.coefficient));
      hash = mix(mix(hash, entry.column), std::hash<double>{}(entry.coefficient));
    }
    std::uint32_t found = Id<LinkTag>::none;
    if (fold) {
      const auto [begin, end] = by_hash.equal_range(hash);
      for (auto it = begin; it != end && found == Id<LinkTag>::none; ++it)
        if (classes_[class_of[it->second]].kind == link.kind && by_link[it->second] == by_link[l])
          found = class_of[it->second];
    }
    if (found == Id<LinkTag>::none) {
      found = static_cast<std::uint32_t>(classes_.size());
      Class& added = classes_.emplace_back();
      added.sample = links[l];
      added.kind = link.kind;
      added.nominal = link.bandwidth.bytes_per_second;
      representatives.push_back(l);
      if (fold) by_hash.emplace(hash, l);
    }
    class_of[l] = found;
    Class& c = classes_[found];
    ++c.links;
    if (link.bandwidth.bytes_per_second < c.nominal) {
      c.nominal = link.bandwidth.bytes_per_second;
      c.sample = links[l];
    }
  }

  // Loads by channel, from the classes' entries.
  std::vector<std::vector<Load>> rows(column);
  for (std::uint32_t r = 0; r < representatives.size(); ++r)
    for (const Entry& entry : by_link[representatives[r]])
      rows[entry.column].push_back({r, entry.coefficient});
  column = 0;
  for (const Schedule* schedule : schedules) {
    Rows& channel_rows = channels_.emplace_back();
    for (std::uint32_t channel = 0; channel < schedule->channels; ++channel, ++column) {
      channel_rows.loads.insert(channel_rows.loads.end(), rows[column].begin(), rows[column].end());
      channel_rows.first.push_back(static_cast<std::uint32_t>(channel_rows.loads.size()));
    }
    Rows& connection_rows = connections_.emplace_back();
    if (fold) continue;
    for (std::uint32_t c = 0; c < schedule->first_connection[schedule->channels]; ++c) {
      const Connection& connection = schedule->connections[c];
      for (std::uint32_t i = 0; i < connection.link_count; ++i) {
        const LinkShare& share = schedule->links[connection.first_link + i];
        connection_rows.loads.push_back({class_of[index_of[share.link.index()]], share.share});
      }
      connection_rows.first.push_back(static_cast<std::uint32_t>(connection_rows.loads.size()));
    }
  }
}

double LinkResources::capacity(std::size_t resource, const CollectiveConstants& constants) const {
  return classes_[resource].nominal * constants.efficiency(classes_[resource].kind);
}

std::vector<double> LinkResources::capacities(const CollectiveConstants& constants) const {
  std::vector<double> result(size());
  for (std::size_t r = 0; r < size(); ++r) result[r] = capacity(r, constants);
  return result;
}

std::span<const Load> LinkResources::channel_loads(std::size_t schedule,
                                                   std::uint32_t channel) const {
  const Rows& rows = channels_[schedule];
  return std::span(rows.loads)
      .subspan(rows.first[channel], rows.first[channel + 1] - rows.first[channel]);
}

std::span<const Load> LinkResources::connection_loads(std::size_t schedule,
                                                      std::uint32_t connection) const {
  const Rows& rows = connections_[schedule];
  require(connection + 1 < rows.first.size(),
          "loads by connection exist only in unfolded resources");
  return std::span(rows.loads)
      .subspan(rows.first[connection], rows.first[connection + 1] - rows.first[connection]);
}

bool LinkResources::between_nodes(std::size_t resource) const {
  return is_network(classes_[resource].kind);
}

void LinkResources::scale(LinkKind kind, double factor) {
  for (Class& c : classes_)
    if (c.kind == kind) c.nominal *= factor;
}

}  // namespace dsim
