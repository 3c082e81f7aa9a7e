// SPDX-License-Identifier: Apache-2.0
// Accesses that other threads may not have finished yet, for insert_barriers: a set that is cheap
// to copy and query for kernels of any length.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <deque>
#include <set>
#include <unordered_map>
#include <vector>

#include "core/diagnostics/diagnostics.h"
#include "core/ir/func.h"
#include "core/ir/thread_range.h"
#include "core/passes/insert_barriers/barrier_accesses.h"

namespace tilelab {

/// Interns the accesses of a kernel, with keys that decide whether two depend on each other.
class AccessTable {
 public:
  struct Row {
    MemoryAccess access;
    int root = 0;      // the memory: its base buffer and range of the arena
    int mode = 0;      // equal for the same write, atomic and ring side
    int holders = -1;  // equal if the same thread accesses each element; -1: unknown
    bool of_threads() const { return !access.threads.empty(); }
  };

  /// `threads`: of the block.
  explicit AccessTable(int64_t threads) : threads_(threads) {}
  /// Sets how many threads execute the accesses that are compared.
  void set_threads(int64_t threads) { threads_ = threads; }

  /// `place`: bytes of the arena, empty for other memory.
  int number(MemoryAccess access, Symbol root, ByteRange place);
  const Row& operator[](int number) const { return rows_[size_t(number)]; }
  /// Whether `now` must wait for `before`.
  bool hazard(int before, int now) const;
  bool overlap(int root, int other) const;
  bool in_arena(int root) const { return places_[size_t(root)].hi > places_[size_t(root)].lo; }

 private:
  int root_number(Symbol root, ByteRange place);
  int mode_number(const MemoryAccess& access);
  int holders_number(const MemoryAccess& access);

  int64_t threads_;
  std::vector<Row> rows_;
  std::vector<ByteRange> places_;  // of the roots
  std::vector<int> of_threads_;    // how many accesses of the root have a known thread
  std::unordered_map<Symbol, int> roots_;
  std::vector<int> modes_, holders_;  // one access of each
  std::unordered_multimap<uint64_t, int> by_hash_, holders_by_hash_;
};

/// A pending and a new access, by ID.
struct Hazard {
  int order, place;  // positions among the pending and the new accesses
  int before, now;
  auto operator<=>(const Hazard&) const = default;
};

/// Keeps only a few accesses that give equal answers, for messages, so that the cost of a query
/// does not grow with the kernel.
class PendingAccesses {
 public:
  bool empty() const { return entries_.empty(); }
  void clear();
  void add(int access, const AccessTable& table);
  void add(const PendingAccesses& more, const AccessTable& table);
  template <class F> void for_each(F&& f) const {
    for (const Entry& entry : entries_) f(entry.access);
  }
  /// Calls f(order, access) for those that `now` must wait for; `order` is the order of insertion.
  void hazards(int now, const AccessTable& table, FunctionRef<void(int, int)> f) const;
  /// Those of all new accesses, in order.
  std::vector<Hazard> hazards(const std::vector<int>& next, const AccessTable& table) const;

 private:
  struct Entry {
    int access;
    int before;  // the previous entry of the same root; -1: none
  };
  bool decided_by_others(int access, const AccessTable& table) const;

  std::vector<Entry> entries_;
  std::vector<int> last_;  // by root; -1: none
  std::vector<int> live_;  // roots with entries
};

// Asynchronous operations in flight, for insert_barriers: matmuls that T.wait_wgmma completes, and
// copies that T.ptx_wait_group(n) completes group by group.

/// Whether copies of the statement that complete with their group are still in flight after it.
bool copies_in_flight_after(const Stmt& stmt);

class InFlight {
 public:
  using Numbers = std::vector<int>;  // IDs of accesses in the table

  /// Advances past the statement, which did `accesses`. Returns the writes of copies that it waited
  /// for: the waiting thread sees them, other threads only after the next barrier.
  Numbers follow(const Stmt& stmt, const Numbers& accesses, const AccessTable& table);
  /// Reads of matmuls in flight; a barrier before the wait does not complete them.
  const std::deque<Numbers>& matmuls() const { return matmuls_; }

 private:
  void follow_matmuls(const Stmt& stmt, const Numbers& accesses, const AccessTable& table);

  std::deque<Numbers> matmuls_, copies_;  // oldest first
  Numbers issued_;                        // by copies that no group contains yet
};

// What insert_barriers reports. Loops are walked twice, so each pair of lines is reported once.

class BarrierReports {
 public:
  explicit BarrierReports(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  /// Upstream inserts a T.sync_threads() that is missing between per-thread statements, and so does
  /// this pass. It warns, because the same source races elsewhere. `memory`: of both accesses.
  void inserted(const MemoryAccess& before, const MemoryAccess& now, Symbol memory_before,
                Symbol memory_now);
  /// A subset of the threads needs a barrier, which it cannot have.
  void impossible(const MemoryAccess& before, const MemoryAccess& now, Symbol memory_before,
                  Symbol memory_now, ThreadRange threads);
  /// Two branches, which run concurrently, depend on each other.
  void concurrent(const MemoryAccess& before, const MemoryAccess& now, Symbol memory_before,
                  Symbol memory_now, Span branches);

 private:
  using Lines = std::set<std::array<uint32_t, 4>>;  // file and line of both accesses
  static bool is_new(const MemoryAccess& before, const MemoryAccess& now, Lines& lines) {
    return lines.insert({before.span.file, before.span.line, now.span.file, now.span.line}).second;
  }

  Diagnostics& diagnostics_;
  Lines inserted_, refused_;
};

// Splits branches in which single threads exchange values through memory.

/// The kernel's body after splitting each branch that some threads take, and in which one thread
/// reads what another wrote,
/// between the two accesses:
///
///   if p: A; B   ->   if p: A      for k: if p: A; B   ->   for k: if p: A
///                     if p: B                                      if p: B
///
/// A barrier of the whole block then fits between the parts. What cannot be split, such as a loop
/// that single threads leave, is reported.
Stmt split_exchanges(const Func& func, const Kernel& kernel, Diagnostics& diagnostics);

}  // namespace tilelab
