#pragma once
#include <array>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "model/collective/constants.h"
#include "model/collective/schedule.h"
#include "sim/network/max_min.h"

namespace dsim {

/// The links that a set of schedules loads, as resources 0..size()-1 of an ActivityNetwork.
///
/// Folded, links of a kind that every channel of every schedule loads alike become one resource of
/// the least capacity among them. That is exact for max-min sharing: of two links with the same
/// loads the wider one never binds first, and links of a kind scale together when constants change.
class LinkResources {
 public:
  LinkResources(const Topology& topology, std::span<const Schedule* const> schedules, bool fold);

  std::size_t size() const { return classes_.size(); }
  std::vector<double> capacities(const CollectiveConstants& constants) const;
  double capacity(std::size_t resource, const CollectiveConstants& constants) const;

  /// Bytes that cross each resource per byte of progress of a channel (all its hops move alike).
  std::span<const Load> channel_loads(std::size_t schedule, std::uint32_t channel) const;
  /// Loads of one connection; only if not folded.
  std::span<const Load> connection_loads(std::size_t schedule, std::uint32_t connection) const;

  /// Some of the links lead from a NIC into the fabric, through it, or back.
  bool between_nodes(std::size_t resource) const;
  LinkId sample(std::size_t resource) const { return classes_[resource].sample; }
  double nominal(std::size_t resource) const { return classes_[resource].nominal; }
  LinkKind kind(std::size_t resource) const { return classes_[resource].kind; }
  std::uint32_t links(std::size_t resource) const { return classes_[resource].links; }
  /// Changes the nominal rate of every link of a kind (what-if); factor > 0.
  void scale(LinkKind kind, double factor);

 private:
  struct Class {
    LinkId sample;
    LinkKind kind = LinkKind::pcie;
    std::uint32_t links = 0;
    double nominal = 0;  ///< least rate among them, B/s
  };
  struct Rows {
    std::vector<std::uint32_t> first{0};
    std::vector<Load> loads;
  };
  std::vector<Class> classes_;
  std::vector<Rows> channels_, connections_;  // by schedule
};

}  // namespace dsim
