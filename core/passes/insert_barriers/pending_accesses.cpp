// SPDX-License-Identifier: Apache-2.0
#include "core/passes/insert_barriers/pending_accesses.h"

#include <algorithm>
#include <utility>

#include "core/ir/compare.h"
#include "core/support/interrupt.h"

namespace tilelab {
namespace {

constexpr int kMaxAlike = 16;
constexpr int kMaxThreadAccesses = 64;  // accesses to a buffer whose threads are compared

bool equal_all(const std::vector<Expr>& a, const std::vector<Expr>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Expr& x, const Expr& y) { return equal(x, y); });
}

bool same_mode(const MemoryAccess& a, const MemoryAccess& b) {
  return a.write == b.write && a.atomic == b.atomic && a.engine == b.engine && a.ring == b.ring &&
         a.produces == b.produces && a.released == b.released && a.orders == b.orders &&
         a.leader == b.leader && a.first_thread == b.first_thread;
}

/// For accesses with a layout.
bool same_holders(const MemoryAccess& a, const MemoryAccess& b) {
  return a.buffer == b.buffer && a.first_thread == b.first_thread && a.extents == b.extents &&
         a.layout == b.layout && equal_all(a.lo, b.lo);
}

bool same(const MemoryAccess& a, const MemoryAccess& b) {
  return same_mode(a, b) && a.element == b.element && a.own == b.own && a.span == b.span &&
         same_holders(a, b) && equal_all(a.index, b.index);
}

struct Mix {
  uint64_t state = 0;
  Mix& operator()(uint64_t value) {
    state = (state ^ value) * 0x9e3779b97f4a7c15u;
    state ^= state >> 32;
    return *this;
  }
  Mix& operator()(const std::vector<Expr>& list) {
    for (const Expr& e : list) (*this)(hash(*e));
    return *this;
  }
};

uint64_t hash_of_holders(const MemoryAccess& a) {
  return Mix()(a.buffer.id())(uint64_t(a.first_thread))(a.lo).state;
}
uint64_t hash_of(const MemoryAccess& a) {
  return Mix{hash_of_holders(a)}(a.write)(a.span.line)(a.span.col)(a.index).state;
}

}  // namespace

int AccessTable::root_number(Symbol root, ByteRange place) {
  auto [it, fresh] = roots_.emplace(root, int(places_.size()));
  if (fresh) places_.push_back(place), of_threads_.push_back(0);
  return it->second;
}

int AccessTable::mode_number(const MemoryAccess& access) {
  for (size_t i = 0; i < modes_.size(); ++i)
    if (same_mode(rows_[size_t(modes_[i])].access, access)) return int(i);
  modes_.push_back(int(rows_.size()));
  return int(modes_.size()) - 1;
}

int AccessTable::holders_number(const MemoryAccess& access) {
  if (!access.layout || !(access.first_replica || access.layout->rep.empty())) return -1;
  const uint64_t key = hash_of_holders(access);
  auto [from, end] = holders_by_hash_.equal_range(key);
  for (; from != end; ++from)
    if (same_holders(rows_[size_t(holders_[size_t(from->second)])].access, access))
      return from->second;
  const int number = int(holders_.size());
  holders_.push_back(int(rows_.size()));
  holders_by_hash_.emplace(key, number);
  return number;
}

int AccessTable::number(MemoryAccess access, Symbol root, ByteRange place) {
  poll_interrupt();
  const uint64_t key = hash_of(access);
  auto [from, end] = by_hash_.equal_range(key);
  for (; from != end; ++from)
    if (same(rows_[size_t(from->second)].access, access)) return from->second;
  const int number = int(rows_.size());
  by_hash_.emplace(key, number);
  Row row;
  row.root = root_number(root, place);
  row.mode = mode_number(access), row.holders = holders_number(access);
  row.access = std::move(access);
  if (row.of_threads() && ++of_threads_[size_t(row.root)] > kMaxThreadAccesses)
    row.access.threads = {};
  rows_.push_back(std::move(row));
  return number;
}

bool AccessTable::overlap(int root, int other) const {
  if (root == other) return true;
  const ByteRange &a = places_[size_t(root)], &b = places_[size_t(other)];
  return a.lo < b.hi && b.lo < a.hi && in_arena(root) && in_arena(other);
}

bool AccessTable::hazard(int before, int now) const {
  const Row &a = (*this)[before], &b = (*this)[now];
  if (!a.access.write && !b.access.write) return false;
  if (a.holders >= 0 && a.holders == b.holders) return false;
  if (a.access.leader && b.access.leader && a.access.first_thread == b.access.first_thread)
    return false;
  if (a.access.released && a.root == b.root) return false;
  if (a.access.engine && b.access.engine) return false;  // barriers do not order the engine
  if (a.of_threads() && b.of_threads() && same_thread_per_element(a.access, b.access, threads_))
    return false;
  return overlap(a.root, b.root) && !commute(a.access.atomic, b.access.atomic) &&
         !ordered_by_ring(a.access, b.access);
}

void PendingAccesses::clear() {
  entries_.clear();
  for (int root : live_) last_[size_t(root)] = -1;
  live_.clear();
}

/// Whether the access is in the set, or entries of the set give every answer that it would give.
bool PendingAccesses::decided_by_others(int access, const AccessTable& table) const {
  const AccessTable::Row& row = table[access];
  int alike = 0;
  bool decided = false;  // an equal entry, or two that differ, so that no other access matches both
  int holders = -1;
  for (int i = last_[size_t(row.root)]; i >= 0; i = entries_[size_t(i)].before) {
    if (entries_[size_t(i)].access == access) return true;
    const AccessTable::Row& other = table[entries_[size_t(i)].access];
    if (other.mode != row.mode) continue;
    if (other.of_threads()) {  // other accesses may match it but not this one
      decided |= row.of_threads() && equal_all(other.access.index, row.access.index);
      ++alike;
      continue;
    }
    decided |= other.holders < 0 || other.holders == row.holders ||
               (alike > 0 && other.holders != holders);
    holders = other.holders;
    ++alike;
  }
  return decided && alike >= kMaxAlike;
}

void PendingAccesses::add(int access, const AccessTable& table) {
  const auto root = size_t(table[access].root);
  if (last_.size() <= root) last_.resize(root + 1, -1);
  if (decided_by_others(access, table)) return;
  if (last_[root] < 0) live_.push_back(int(root));
  entries_.push_back({access, last_[root]});
  last_[root] = int(entries_.size()) - 1;
}

void PendingAccesses::add(const PendingAccesses& more, const AccessTable& table) {
  for (const Entry& entry : more.entries_) add(entry.access, table);
}

void PendingAccesses::hazards(int now, const AccessTable& table,
                              FunctionRef<void(int, int)> f) const {
  auto ask = [&](int root) {
    for (int i = last_[size_t(root)]; i >= 0; i = entries_[size_t(i)].before)
      if (table.hazard(entries_[size_t(i)].access, now)) f(i, entries_[size_t(i)].access);
  };
  const int root = table[now].root;
  if (table.in_arena(root)) {
    for (int other : live_)
      if (table.overlap(root, other)) ask(other);
  } else if (size_t(root) < last_.size()) {
    ask(root);
  }
}

std::vector<Hazard> PendingAccesses::hazards(const std::vector<int>& next,
                                             const AccessTable& table) const {
  std::vector<Hazard> out;
  for (size_t i = 0; i < next.size(); ++i)
    hazards(next[i], table, [&](int order, int before) {
      out.push_back({order, int(i), before, next[i]});
    });
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace tilelab
