#include "sim/network/activity_network.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/base/error.h"

namespace dsim {

namespace {
// A resource whose users together cannot ask for more than this share of it never binds.
constexpr double slack = 1 + 1e-12;
}  // namespace

ActivityNetwork::ActivityNetwork(Engine& engine, std::vector<double> capacities) : engine_(engine) {
  resources_.resize(capacities.size());
  for (std::size_t r = 0; r < capacities.size(); ++r) resources_[r].capacity = capacities[r];
}

bool ActivityNetwork::can_saturate(const Resource& resource) const {
  return resource.unbounded > 0 || resource.demand > resource.capacity * slack;
}

ActivityId ActivityNetwork::start(const Activity& activity, Engine::Action done, void* self,
                                  std::uint64_t argument) {
  require(activity.work > 0 && activity.weight > 0 && activity.cap > 0,
          "an activity needs work, a weight and a cap above zero");
  require(std::isfinite(activity.cap) || !activity.loads.empty(),
          "an activity without a cap must cross a resource");
  std::uint32_t index;
  if (free_slots_.empty()) {
    index = static_cast<std::uint32_t>(slots_.size());
    slots_.emplace_back();
  } else {
    index = free_slots_.back();
    free_slots_.pop_back();
  }
  Slot& slot = slots_[index];
  slot.activity = activity;
  slot.left = activity.work;
  slot.rate = 0;
  slot.since = engine_.now();
  slot.finish = Time::max();
  slot.done = done;
  slot.self = self;
  slot.argument = argument;
  heap_insert(index);
  attach(index);

  bool shares = false;
  for (const Load& load : activity.loads)
    shares = shares || can_saturate(resources_[load.resource]);
  if (shares)
    request_solve();
  else
    set_rate(index, activity.cap);
  return ActivityId{index};
}

void ActivityNetwork::hold(ResourceId id, double amount) {
  Resource& resource = resources_[id.index()];
  const bool before = can_saturate(resource);
  resource.capacity -= amount;
  if ((before || can_saturate(resource)) && !resource.users.empty()) {
    touch(id.value);
    request_solve();
  }
}

void ActivityNetwork::touch(std::uint32_t resource) {
  if (resources_[resource].dirty) return;
  resources_[resource].dirty = true;
  dirty_.push_back(resource);
}

void ActivityNetwork::attach(std::uint32_t index) {
  Slot& slot = slots_[index];
  const auto& loads = slot.activity.loads;
  slot.at.resize(loads.size());
  for (std::uint32_t i = 0; i < loads.size(); ++i) {
    Resource& resource = resources_[loads[i].resource];
    slot.at[i] = static_cast<std::uint32_t>(resource.users.size());
    resource.users.push_back({index, i});
    if (std::isfinite(slot.activity.cap))
      resource.demand += loads[i].coefficient * slot.activity.cap;
    else
      ++resource.unbounded;
    if (can_saturate(resource)) touch(loads[i].resource);
  }
}

void ActivityNetwork::detach(std::uint32_t index) {
  Slot& slot = slots_[index];
  const auto& loads = slot.activity.loads;
  for (std::uint32_t i = 0; i < loads.size(); ++i) {
    Resource& resource = resources_[loads[i].resource];
    const bool shared = can_saturate(resource);
    const User last = resource.users.back();
    resource.users[slot.at[i]] = last;
    slots_[last.slot].at[last.load] = slot.at[i];
    resource.users.pop_back();
    if (std::isfinite(slot.activity.cap))
      resource.demand -= loads[i].coefficient * slot.activity.cap;
    else
      --resource.unbounded;
    if (resource.users.empty())
      resource.demand = 0;  // no rounding is carried over
    else if (shared)
      touch(loads[i].resource);
  }
  if (!dirty_.empty()) request_solve();
}

// One solve settles everything that happens at one instant.
void ActivityNetwork::request_solve() {
  if (solve_requested_) return;
  solve_requested_ = true;
  engine_.schedule<&ActivityNetwork::solve>(engine_.now(), *this);
}

// Only what a change can reach is solved again: starting from the touched resources, activities and
// the resources they might saturate, as far as they connect.
void ActivityNetwork::solve(std::uint64_t) {
  solve_requested_ = false;
  ++solves_;
  ++epoch_;
  for (const std::uint32_t seed : dirty_) {
    resources_[seed].dirty = false;
    if (resources_[seed].mark == epoch_) continue;
    component_.clear();
    component_resources_.clear();
    queue_.assign(1, seed);
    resources_[seed].mark = epoch_;
    while (!queue_.empty()) {
      const std::uint32_t r = queue_.back();
      queue_.pop_back();
      const bool binding = can_saturate(resources_[r]);
      if (binding) component_resources_.push_back(r);
      for (const User user : resources_[r].users) {
        Slot& slot = slots_[user.slot];
        if (slot.mark == epoch_) continue;
        slot.mark = epoch_;
        component_.push_back(user.slot);
        for (const Load& load : slot.activity.loads) {
          Resource& next = resources_[load.resource];
          if (next.mark == epoch_ || !can_saturate(next)) continue;
          next.mark = epoch_;
          queue_.push_back(load.resource);
        }
      }
    }
    if (!component_.empty()) solve_component();
  }
  dirty_.clear();
  schedule_next_finish();
}

void ActivityNetwork::solve_component() {
  problem_.capacity.clear();
  problem_.cap.clear();
  problem_.weight.clear();
  problem_.first.assign(1, 0);
  problem_.loads.clear();
  for (const std::uint32_t r : component_resources_) {
    resources_[r].local = static_cast<std::uint32_t>(problem_.capacity.size());
    problem_.capacity.push_back(std::max(0.0, resources_[r].capacity));
  }
  for (const std::uint32_t a : component_) {
    const Activity& activity = slots_[a].activity;
    problem_.cap.push_back(activity.cap);
    problem_.weight.push_back(activity.weight);
    for (const Load& load : activity.loads)
      if (can_saturate(resources_[load.resource]))
        problem_.loads.push_back({resources_[load.resource].local, load.coefficient});
    problem_.first.push_back(static_cast<std::uint32_t>(problem_.loads.size()));
  }
  rates_.resize(component_.size());
  max_min_rates(problem_, rates_, scratch_);
  for (std::size_t i = 0; i < component_.size(); ++i) set_rate(component_[i], rates_[i]);
}

void ActivityNetwork::set_rate(std::uint32_t index, double rate) {
  Slot& slot = slots_[index];
  if (rate == slot.rate) return;
  const Time now = engine_.now();
  slot.left = std::max(0.0, slot.left - slot.rate * (now - slot.since).seconds());
  slot.since = now;
  slot.rate = rate;
  const double seconds = rate > 0 ? slot.left / rate : 1e9;
  slot.finish = seconds < 1e6 ? now + Time::from_seconds(seconds) : Time::max();
  heap_up(slot.heap);
  heap_down(slot.heap);
  if (observer_) observer_(observer_self_, ActivityId{index}, rate);
  if (!solve_requested_) schedule_next_finish();
}

void ActivityNetwork::schedule_next_finish() {
  const Time next = finish_heap_.empty() ? Time::max() : slots_[finish_heap_.front()].finish;
  if (next == finish_scheduled_) return;
  engine_.cancel(finish_event_);
  finish_scheduled_ = next;
  finish_event_ =
      next == Time::max() ? EventId{} : engine_.schedule<&ActivityNetwork::finish_due>(next, *this);
}

// All activities that end at this instant end together; their actions run in start order of slots.
void ActivityNetwork::finish_due(std::uint64_t) {
  finish_scheduled_ = Time::max();
  finish_event_ = {};
  due_.clear();
  while (!finish_heap_.empty() && slots_[finish_heap_.front()].finish <= engine_.now()) {
    const std::uint32_t index = finish_heap_.front();
    heap_remove(index);
    detach(index);
    due_.push_back(index);
  }
  // Actions may start new activities, so the list is moved away while they run.
  std::vector<std::uint32_t> due;
  due.swap(due_);
  for (const std::uint32_t index : due) {
    if (observer_) observer_(observer_self_, ActivityId{index}, 0);
    const Engine::Action done = slots_[index].done;
    void* const self = slots_[index].self;
    const std::uint64_t argument = slots_[index].argument;
    slots_[index].rate = 0;
    free_slots_.push_back(index);
    done(self, argument);
  }
  due.clear();
  due_.swap(due);
  if (!solve_requested_) schedule_next_finish();
}

void ActivityNetwork::heap_insert(std::uint32_t slot) {
  slots_[slot].heap = static_cast<std::uint32_t>(finish_heap_.size());
  finish_heap_.push_back(slot);
  heap_up(slots_[slot].heap);
}

void ActivityNetwork::heap_remove(std::uint32_t slot) {
  const std::size_t hole = slots_[slot].heap;
  const std::uint32_t last = finish_heap_.back();
  finish_heap_.pop_back();
  if (last == slot) return;
  finish_heap_[hole] = last;
  slots_[last].heap = static_cast<std::uint32_t>(hole);
  heap_up(hole);
  heap_down(slots_[last].heap);
}

void ActivityNetwork::heap_up(std::size_t hole) {
  const std::uint32_t slot = finish_heap_[hole];
  while (hole > 0) {
    const std::size_t parent = (hole - 1) / 2;
    if (slots_[finish_heap_[parent]].finish <= slots_[slot].finish) break;
    finish_heap_[hole] = finish_heap_[parent];
    slots_[finish_heap_[hole]].heap = static_cast<std::uint32_t>(hole);
    hole = parent;
  }
  finish_heap_[hole] = slot;
  slots_[slot].heap = static_cast<std::uint32_t>(hole);
}

void ActivityNetwork::heap_down(std::size_t hole) {
  const std::uint32_t slot = finish_heap_[hole];
  for (;;) {
    std::size_t child = 2 * hole + 1;
    if (child >= finish_heap_.size()) break;
    if (child + 1 < finish_heap_.size() &&
        slots_[finish_heap_[child + 1]].finish < slots_[finish_heap_[child]].finish)
      ++child;
    if (slots_[finish_heap_[child]].finish >= slots_[slot].finish) break;
    finish_heap_[hole] = finish_heap_[child];
    slots_[finish_heap_[hole]].heap = static_cast<std::uint32_t>(hole);
    hole = child;
  }
  finish_heap_[hole] = slot;
  slots_[slot].heap = static_cast<std::uint32_t>(hole);
}

}  // namespace dsim
