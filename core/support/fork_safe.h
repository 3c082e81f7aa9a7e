// SPDX-License-Identifier: Apache-2.0
// Mutexes of the process that child processes find unlocked: a fork waits until no thread holds
// one, since the child has no thread that could unlock it.
#pragma once

#include <new>

namespace tilelab {

/// A mutex as a fork sees it. A child makes it again: it cannot unlock a std::shared_mutex, whose
/// owner is a thread ID, and its thread has another one.
struct ForkedMutex {
  void* mutex;
  void (*lock)(void*);
  void (*unlock)(void*);
  void (*make)(void*);
};
/// Forks lock the mutexes in the opposite order: one that is locked while another one is held must
/// be added first.
void add_at_forks(const ForkedMutex& mutex);
void remove_at_forks(const void* mutex);

/// Mutex: std::mutex or std::shared_mutex, of static storage duration.
template <class Mutex> class ForkSafe : public Mutex {
 public:
  ForkSafe() {
    add_at_forks({this, [](void* m) { static_cast<ForkSafe*>(m)->lock(); },
                  [](void* m) { static_cast<ForkSafe*>(m)->unlock(); },
                  [](void* m) { new (static_cast<Mutex*>(static_cast<ForkSafe*>(m))) Mutex; }});
  }
  ~ForkSafe() { remove_at_forks(this); }
};

}  // namespace tilelab
