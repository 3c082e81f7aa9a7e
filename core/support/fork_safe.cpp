// SPDX-License-Identifier: Apache-2.0
#include "core/support/fork_safe.h"

#include <pthread.h>

#include <mutex>
#include <vector>

namespace tilelab {
namespace {

struct Forks {
  std::mutex mutex;
  std::vector<ForkedMutex> all;
};

void before();
void in_parent();
void in_child();

/// Never destroyed: threads may fork until the process ends.
Forks& forks() {
  static Forks* made = [] {
    pthread_atfork(before, in_parent, in_child);
    return new Forks;
  }();
  return *made;
}

void before() {
  Forks& known = forks();
  known.mutex.lock();
  for (auto it = known.all.rbegin(); it != known.all.rend(); ++it) it->lock(it->mutex);
}

void in_parent() {
  Forks& known = forks();
  for (const ForkedMutex& each : known.all) each.unlock(each.mutex);
  known.mutex.unlock();
}

void in_child() {
  Forks& known = forks();
  for (const ForkedMutex& each : known.all) each.make(each.mutex);
  known.mutex.unlock();
}

}  // namespace

void add_at_forks(const ForkedMutex& mutex) {
  Forks& known = forks();
  const std::lock_guard lock(known.mutex);
  known.all.push_back(mutex);
}

void remove_at_forks(const void* mutex) {
  Forks& known = forks();
  const std::lock_guard lock(known.mutex);
  std::erase_if(known.all, [&](const ForkedMutex& each) { return each.mutex == mutex; });
}

}  // namespace tilelab
