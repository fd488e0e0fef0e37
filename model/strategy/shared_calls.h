#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "model/workload/program.h"

namespace dsim {

/// Families and collectives of a workload that several programs name: each is added once.
class SharedCalls {
 public:
  explicit SharedCalls(Workload& workload) : workload_(workload) {}

  /// Finds the family of a name, or makes it. Invalid where every group has one
  /// member: nothing is sent.
  FamilyId family(const std::string& name, const std::function<GroupFamily()>& make);
  FamilyId family(const std::string& name, const GroupFamily& family) {
    return this->family(name, [&family] { return family; });
  }
  /// Adds a call; `key` says who meets there: programs that name the same key join the same call.
  std::uint32_t call(const std::string& key, const CollectiveCall& call);
  /// Adds a call that ranks of one program make alone.
  std::uint32_t call(const CollectiveCall& call);

 private:
  Workload& workload_;
  std::map<std::string, FamilyId> families_;
  std::map<std::string, std::uint32_t> calls_;
};

}  // namespace dsim
