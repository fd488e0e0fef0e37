#include "sim/engine/engine.h"

#include <algorithm>

#include "sim/base/error.h"

namespace dsim {

namespace {
constexpr std::size_t arity = 4;
}

EventId Engine::schedule(Time when, Action action, void* self, std::uint64_t argument) {
  if (when < now_) require(false, "an event cannot be scheduled in the past");
  std::uint32_t slot;
  if (free_slots_.empty()) {
    slot = static_cast<std::uint32_t>(slots_.size());
    require(slot < (1u << slot_bits), "too many pending events");
    slots_.emplace_back();
  } else {
    slot = free_slots_.back();
    free_slots_.pop_back();
  }
  const std::uint64_t sequence = next_sequence_++;
  slots_[slot] = {action, self, argument, sequence};
  push({when.ps, sequence << slot_bits | slot});
  return {slot, sequence};
}

void Engine::cancel(EventId event) {
  if (event.sequence == 0 || event.slot >= slots_.size()) return;
  Slot& slot = slots_[event.slot];
  if (slot.sequence != event.sequence || slot.action == nullptr) return;
  slot.action = nullptr;
  if (++cancelled_ > 64 && cancelled_ > heap_.size() / 2) drop_cancelled();
}

bool Engine::step() {
  while (!heap_.empty()) {
    const Entry entry = pop();
    const auto index = static_cast<std::uint32_t>(entry.order & ((1u << slot_bits) - 1));
    const Slot slot = slots_[index];
    slots_[index].sequence = 0;
    free_slots_.push_back(index);
    if (slot.action == nullptr) {
      --cancelled_;
      continue;
    }
    now_ = Time{entry.ps};
    ++fired_;
    slot.action(slot.self, slot.argument);
    return true;
  }
  return false;
}

void Engine::push(Entry entry) {
  std::size_t hole = heap_.size();
  heap_.push_back(entry);
  while (hole > 0) {
    const std::size_t parent = (hole - 1) / arity;
    if (!(entry < heap_[parent])) break;
    heap_[hole] = heap_[parent];
    hole = parent;
  }
  heap_[hole] = entry;
}

Engine::Entry Engine::pop() {
  const Entry top = heap_.front();
  const Entry last = heap_.back();
  heap_.pop_back();
  if (!heap_.empty()) sift_down(0, last);
  return top;
}

void Engine::sift_down(std::size_t hole, Entry entry) {
  const std::size_t size = heap_.size();
  for (;;) {
    const std::size_t first = hole * arity + 1;
    if (first >= size) break;
    std::size_t least = first;
    const std::size_t end = std::min(first + arity, size);
    for (std::size_t child = first + 1; child < end; ++child)
      if (heap_[child] < heap_[least]) least = child;
    if (!(heap_[least] < entry)) break;
    heap_[hole] = heap_[least];
    hole = least;
  }
  heap_[hole] = entry;
}

// Cancelled events leave the heap in bulk, so that frequent cancelling cannot make it grow.
void Engine::drop_cancelled() {
  std::size_t kept = 0;
  for (const Entry& entry : heap_) {
    const auto index = static_cast<std::uint32_t>(entry.order & ((1u << slot_bits) - 1));
    if (slots_[index].action != nullptr) {
      heap_[kept++] = entry;
    } else {
      slots_[index].sequence = 0;
      free_slots_.push_back(index);
    }
  }
  heap_.resize(kept);
  cancelled_ = 0;
  if (kept > 1)
    for (std::size_t hole = (kept - 2) / arity + 1; hole-- > 0;) sift_down(hole, heap_[hole]);
}

}  // namespace dsim
