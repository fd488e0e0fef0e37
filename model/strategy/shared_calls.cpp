#include "model/strategy/shared_calls.h"

#include <algorithm>

namespace dsim {

FamilyId SharedCalls::family(const std::string& name,
                            const std::function<GroupFamily()>& make) {
  const auto [entry, added] = families_.try_emplace(name);
  if (!added) return entry->second;
  GroupFamily family = make();
  if (std::none_of(family.groups.begin(), family.groups.end(),
                   [](const auto& group) { return group.size() > 1; }))
    return entry->second;
  family.name = name;
  entry->second = FamilyId{workload_.families.size()};
  workload_.families.push_back(std::move(family));
  return entry->second;
}

std::uint32_t SharedCalls::call(const std::string& key, const CollectiveCall& call) {
  const auto [entry, added] = calls_.try_emplace(key);
  if (added) entry->second = this->call(call);
  return entry->second;
}

std::uint32_t SharedCalls::call(const CollectiveCall& call) {
  workload_.collectives.push_back(call);
  return static_cast<std::uint32_t>(workload_.collectives.size() - 1);
}

}  // namespace dsim
