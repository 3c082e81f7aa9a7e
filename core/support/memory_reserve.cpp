// SPDX-License-Identifier: Apache-2.0
#include "core/support/memory_reserve.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <new>

namespace tilelab {
namespace {

// Several parts: Python may use up what a failure in another thread has given back.
constexpr size_t parts = 8, part_bytes = size_t{1} << 20;
std::atomic<void*> reserve[parts];

bool release_one() {
  for (auto& part : reserve)
    if (void* address = part.exchange(nullptr)) return std::free(address), true;
  return false;
}

void on_failure() {
  if (!release_one()) throw std::bad_alloc();
}

}  // namespace

void keep_memory_reserve() {
  refill_memory_reserve();
  std::set_new_handler(on_failure);
}

void release_memory_reserve() {
  while (release_one()) continue;
}

bool refill_memory_reserve() {
  bool complete = true;
  for (auto& part : reserve) complete = complete && part.load();
  if (complete) return true;
  // Not as soon as it fits: the reserve must not take what the next cell needs. From malloc, which
  // also has what the process has freed; pages that are never written take no memory.
  void* plenty[4 * parts];
  size_t count = 0;
  while (count < std::size(plenty) && (plenty[count] = std::malloc(part_bytes))) ++count;
  complete = count == std::size(plenty);
  for (auto& part : reserve) {
    void* nothing = nullptr;
    if (complete && part.compare_exchange_strong(nothing, plenty[count - 1])) --count;
  }
  while (count > 0) std::free(plenty[--count]);
  return complete;
}

}  // namespace tilelab
