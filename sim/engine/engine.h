#pragma once
// The clock and the event heap. Knows nothing of networks; no globals, so runs can coexist.
#include <cstdint>
#include <vector>

#include "sim/base/units.h"

namespace dsim {

/// Names a scheduled event. Always safe to cancel: nothing happens once it has fired.
struct EventId {
  std::uint32_t slot = 0;
  std::uint64_t sequence = 0;  ///< 0 = no event
};

/// A discrete-event engine. Events at equal times run in the order they were scheduled, so a run is
/// deterministic. Steady state allocates nothing: an event is a function pointer, an object and a
/// number. Not thread-safe; one run uses one Engine on one thread.
class Engine {
 public:
  /// What an event does: `action(self, argument)`.
  using Action = void (*)(void* self, std::uint64_t argument);

  Time now() const { return now_; }

  /// Schedules `action` at `when`. Requires when >= now().
  EventId schedule(Time when, Action action, void* self, std::uint64_t argument = 0);

  /// Schedules `self.*Method(argument)`: engine.schedule<&Flow::arrive>(when, flow, 3).
  template <auto Method, class Object>
  EventId schedule(Time when, Object& self, std::uint64_t argument = 0) {
    return schedule(
        when,
        [](void* object, std::uint64_t value) { (static_cast<Object*>(object)->*Method)(value); },
        &self, argument);
  }

  void cancel(EventId event);

  /// Runs the earliest event; false if there is none.
  bool step();
  /// Runs until no event is left.
  void run() {
    while (step()) {
    }
  }

  std::size_t pending() const { return heap_.size() - cancelled_; }
  std::uint64_t fired() const { return fired_; }

 private:
  // The heap orders by (time, sequence); the slot rides in the low bits of `order`, which cannot
  // change the order of two events because their sequences differ.
  struct Entry {
    std::int64_t ps;
    std::uint64_t order;
    friend bool operator<(const Entry& a, const Entry& b) {
      return a.ps != b.ps ? a.ps < b.ps : a.order < b.order;
    }
  };
  struct Slot {
    Action action = nullptr;  // null = cancelled
    void* self = nullptr;
    std::uint64_t argument = 0;
    std::uint64_t sequence = 0;
  };
  static constexpr int slot_bits = 24;  // 16 M pending events; 2^40 events a run

  void push(Entry entry);
  Entry pop();
  void sift_down(std::size_t hole, Entry entry);
  void drop_cancelled();

  Time now_;
  std::uint64_t next_sequence_ = 1;
  std::uint64_t fired_ = 0;
  std::size_t cancelled_ = 0;
  std::vector<Entry> heap_;  // 4-ary
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_slots_;
};

}  // namespace dsim
