#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "model/collective/rounds_cost.h"

namespace dsim {

/// The links that messages of schedules in rounds cross, as few resources: links of a kind that
/// every message loads alike are one, with the least of their rates. (A packet-sprayed message puts
/// the same on each of the cables between two switches, and so does every other one.) That is exact
/// for max-min sharing as long as nothing else crosses these links.
class MessageLinks {
 public:
  struct User {
    const Schedule* schedule = nullptr;
    const Communicator* communicator = nullptr;
  };
  /// Looks at every message of the first round of each phase. Users must outlive the paths.
  explicit MessageLinks(std::span<const User> users);
  MessageLinks(const Schedule& schedule, const Communicator& communicator);

  struct Resource {
    LinkId sample;  ///< the slowest of its links
    LinkKind kind = LinkKind::pcie;
    double nominal = 0;  ///< B/s, its rate
    std::uint32_t links = 0;
  };
  std::span<const Resource> resources() const { return *resources_; }

  /// Paths of a user's messages on these resources; they stay valid without this object.
  PathOf paths(const Communicator& communicator) const;

 private:
  std::shared_ptr<const std::vector<Resource>> resources_;
  std::shared_ptr<const std::vector<std::uint32_t>> resource_of_;  // by link
};

}  // namespace dsim
