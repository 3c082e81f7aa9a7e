// SPDX-License-Identifier: Apache-2.0
// What other threads may not have finished yet, as insert_barriers follows it: a set of accesses
// that is cheap to copy and to ask, however long the kernel is.
#pragma once

#include <unordered_map>
#include <vector>

#include "core/passes/insert_barriers/barrier_accesses.h"

namespace tilelab {

/// Every access of a kernel once, by number, with what decides whether two depend on each other.
class AccessTable {
 public:
  struct Row {
    MemoryAccess access;
    int root = 0;      // the memory, and where of the arena it lies
    int manner = 0;    // equal for equal write, atomic and side of a ring
    int holders = -1;  // equal where the same thread has each element; -1: unknown
    bool of_threads() const { return !access.threads.empty(); }
  };

  /// `threads`: of the block.
  explicit AccessTable(int64_t threads) : threads_(threads) {}

  /// `place`: bytes of the arena, empty for other memory.
  int number(MemoryAccess access, Symbol root, ByteRange place);
  const Row& operator[](int number) const { return rows_[size_t(number)]; }
  /// Whether `now` must wait for `before`.
  bool hazard(int before, int now) const;
  bool overlap(int root, int other) const;
  bool in_arena(int root) const { return places_[size_t(root)].hi > places_[size_t(root)].lo; }

 private:
  int root_number(Symbol root, ByteRange place);
  int manner_number(const MemoryAccess& access);
  int holders_number(const MemoryAccess& access);

  int64_t threads_;
  std::vector<Row> rows_;
  std::vector<ByteRange> places_;  // of the roots
  std::vector<int> of_threads_;    // how many rows of the root say of which thread they are
  std::unordered_map<Symbol, int> roots_;
  std::vector<int> manners_, holders_;  // an access of each
  std::unordered_multimap<uint64_t, int> by_hash_, holders_by_hash_;
};

/// Of accesses that decide alike a few are kept, for messages: every question costs the same in a
/// kernel of any length.
class PendingAccesses {
 public:
  bool empty() const { return entries_.empty(); }
  void clear();
  void add(int access, const AccessTable& table);
  void add(const PendingAccesses& more, const AccessTable& table);
  template <class F> void for_each(F&& f) const {
    for (const Entry& entry : entries_) f(entry.access);
  }
  /// Calls f(order, access) for those that `now` must wait for; `order` grows as they were added.
  void hazards(int now, const AccessTable& table, FunctionRef<void(int, int)> f) const;

 private:
  struct Entry {
    int access;
    int before;  // the entry of the same root that was added before; -1: none
  };
  bool decided_by_others(int access, const AccessTable& table) const;

  std::vector<Entry> entries_;
  std::vector<int> last_;  // by root; -1: none
  std::vector<int> live_;  // roots with entries
};

}  // namespace tilelab
