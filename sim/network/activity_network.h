#pragma once
// Activities that progress at rates given by max-min sharing, on an Engine. An activity is anything
// that moves along at one rate while loading resources: a message on its links, a pipelined
// collective on all its hops at once, a kernel on the SMs and the memory of a GPU.
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "sim/base/id.h"
#include "sim/engine/engine.h"
#include "sim/network/max_min.h"

namespace dsim {

using ResourceId = Id<struct ResourceTag>;
using ActivityId = Id<struct ActivityTag>;

/// What to run. `loads` must stay valid until the activity ends.
struct Activity {
  double work = 0;  ///< amount to do, in units of rate x seconds; > 0
  double cap =
      std::numeric_limits<double>::infinity();  ///< largest rate; finite if there are no loads
  double weight = 1;
  std::span<const Load> loads;
};

class ActivityNetwork {
 public:
  /// `capacities[r]` is the capacity of resource r.
  ActivityNetwork(Engine& engine, std::vector<double> capacities);

  /// Starts now; when the work is done, `done(self, argument)` runs.
  ActivityId start(const Activity& activity, Engine::Action done, void* self,
                   std::uint64_t argument = 0);

  template <auto Method, class Object>
  ActivityId start(const Activity& activity, Object& self, std::uint64_t argument = 0) {
    return start(
        activity,
        [](void* object, std::uint64_t value) { (static_cast<Object*>(object)->*Method)(value); },
        &self, argument);
  }

  /// Takes `amount` of a resource away (a collective's CTAs keep SMs) until `release`.
  void hold(ResourceId resource, double amount);
  void release(ResourceId resource, double amount) { hold(resource, -amount); }

  /// The rate an activity has now. Rates settle at the end of the current instant.
  double rate(ActivityId activity) const { return slots_[activity.index()].rate; }
  double capacity(ResourceId resource) const { return resources_[resource.index()].capacity; }

  /// Called whenever the rate of a running activity changes (recording); may be empty.
  using RateObserver = void (*)(void* self, ActivityId activity, double rate);
  void observe(RateObserver observer, void* self) { observer_ = observer, observer_self_ = self; }

  std::uint64_t solves() const { return solves_; }

 private:
  struct Slot {
    Activity activity;
    double left = 0;  // work left at `since`
    double rate = 0;
    Time since;
    Time finish;                    // Time::max() while the rate is 0
    std::uint32_t heap = 0;         // position in finish_heap_
    std::uint32_t mark = 0;         // epoch of the last component walk that saw it
    std::vector<std::uint32_t> at;  // position in each loaded resource's user list
    Engine::Action done = nullptr;
    void* self = nullptr;
    std::uint64_t argument = 0;
  };
  struct User {
    std::uint32_t slot;
    std::uint32_t load;  // index into the slot's loads
  };
  struct Resource {
    double capacity = 0;
    double demand = 0;            // sum of coefficient * cap over users with a finite cap
    std::uint32_t unbounded = 0;  // users without a cap
    std::uint32_t mark = 0;
    std::uint32_t local = 0;  // index in the problem being solved
    bool dirty = false;
    std::vector<User> users;
  };

  bool can_saturate(const Resource& resource) const;
  void attach(std::uint32_t slot);
  void detach(std::uint32_t slot);
  void touch(std::uint32_t resource);
  void request_solve();
  void solve(std::uint64_t);
  void solve_component();
  void set_rate(std::uint32_t slot, double rate);
  void finish_due(std::uint64_t);
  void schedule_next_finish();

  void heap_insert(std::uint32_t slot);
  void heap_remove(std::uint32_t slot);
  void heap_up(std::size_t hole);
  void heap_down(std::size_t hole);

  Engine& engine_;
  std::vector<Resource> resources_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_slots_;
  std::vector<std::uint32_t> finish_heap_;  // slots ordered by finish time
  EventId finish_event_;
  Time finish_scheduled_ = Time::max();
  bool solve_requested_ = false;
  std::vector<std::uint32_t> dirty_;
  std::uint32_t epoch_ = 0;
  std::uint64_t solves_ = 0;

  // Scratch of one solve, kept to avoid allocation.
  std::vector<std::uint32_t> component_, queue_, component_resources_, due_;
  MaxMinProblem problem_;
  MaxMinScratch scratch_;
  std::vector<double> rates_;

  RateObserver observer_ = nullptr;
  void* observer_self_ = nullptr;
};

}  // namespace dsim
