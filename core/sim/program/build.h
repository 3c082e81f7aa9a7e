// SPDX-License-Identifier: Apache-2.0
// Builds a Program: virtual registers, common subexpression elimination, register allocation.
#pragma once

#include <unordered_map>
#include <vector>

#include "core/sim/program/program.h"

namespace tilelab::sim {

class ProgramBuilder {
 public:
  explicit ProgramBuilder(int lanes);

  /// Sets the span of the instructions emitted from here on.
  void set_span(const Span& span);
  Span span() const { return program_.places[place_]; }

  // ---- registers
  /// A new register for lanes of `bytes` bytes. `keep`: live to the end of the program.
  Reg temp(int bytes, bool keep = false);
  /// `count` registers in adjacent storage: a local array, or one variable (count 1). They are
  /// mutable; call `written` after each change.
  int32_t array(Symbol name, int64_t count, int bytes);
  /// The array is live to the end of the program: an operation may access it at any time.
  void keep_array(int32_t array);
  RegArray& array(int32_t index) { return program_.arrays[index]; }
  const RegArray& array(int32_t index) const { return program_.arrays[index]; }
  bool is_mutable(Reg reg) const { return !(reg & constant_page) && mutable_[reg]; }
  Reg element(int32_t array, int64_t index) const {
    return program_.arrays[array].first + Reg(index);
  }
  Reg constant(Elem elem, uint64_t bits);
  Reg input(Symbol name, Elem elem);

  // ---- code
  size_t emit(Instr instr);
  Instr& at(size_t index) { return program_.code[index]; }
  size_t position() const { return program_.code.size(); }
  /// fn(a, b, c) in a temporary; equal values are computed once per scope.
  Reg lanes(LaneFn fn, int bytes, Reg a, Reg b = no_reg, Reg c = no_reg);
  /// reg = fn(a, b, c) in active lanes; without `fn`, reg = a.
  void assign(Reg reg, int bytes, LaneFn fn, Reg a, Reg b = no_reg, Reg c = no_reg);
  /// Invalidates values computed from the register.
  void written(Reg reg) { changed_[reg] = ++clock_; }
  void written_array(int32_t array);
  /// Whether this scope already has an identical check; records it. With a `site`, one for the same
  /// part of the same reference at the same source location.
  bool checked(const Instr& check, const CheckSite* site = nullptr);

  /// Facts that hold from `assume` to the end of the scope.
  bool holds(uint64_t what, uint64_t which) const;
  void assume(uint64_t what, uint64_t which);
  uint32_t add_site(const CheckSite& site);
  uint32_t place() const { return place_; }

  /// Caches what `place` reads from memory until the next store, call or loop boundary of its
  /// scope: the register of element `delta` of the access, or no_reg.
  Reg loaded(const Access& access, int64_t delta) const;
  void remember_loaded(const Access& access, int64_t delta, Reg reg);

  /// The same for any pair of keys, until the next loop boundary or `forget_changes`.
  bool once(uint64_t what, uint64_t which);
  /// Register with the smallest and largest active lane of `a` (kind i32 or i64).
  Reg range(Elem elem, Reg a);

  /// Adds the state that decides whether a loop ends, for its loop_next.
  int64_t add_fate(Fate fate);
  int32_t add_access(Access access);
  /// The variable of a loop has its value from here until `leave_scope`.
  size_t enter_scope(const LoopScope& scope) {
    program_.loops.push_back(scope);
    program_.loops.back().first = uint32_t(position());
    return program_.loops.size() - 1;
  }
  void leave_scope(size_t scope) { program_.loops[scope].end = uint32_t(position()); }
  int32_t add_call(CallSite call);
  CallSite& call(int32_t index) { return program_.calls[index]; }
  Access& access(int32_t index) { return program_.accesses[index]; }

  /// The code so far is bound to a name: its registers stay defined.
  void fence() { fence_ = position(); }

  // ---- scopes of common subexpressions: a branch, a loop body
  void push_scope();
  void pop_scope();
  /// Invalidates all mutable values (loop entry and exit).
  void forget_changes() { all_changed_ = ++clock_; }
  void enter_loop();
  void leave_loop();

  /// While positive, emitted arithmetic counts as address arithmetic.
  int address_depth = 0;

  Program finish();

 private:
  struct Key {
    uint64_t what, a, b, c, d = 0;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key& k) const {
      uint64_t h = k.what;
      for (uint64_t x : {k.a, k.b, k.c, k.d}) h = (h ^ x) * 0x9E3779B97F4A7C15u + (h >> 29);
      return size_t(h);
    }
  };
  uint32_t bytes_of(Reg reg) const;  // per lane
  void check_operands(Reg a, Reg b, Reg c) const;
  uint64_t stamp(Reg reg) const;
  void remember(const Key& key, Reg reg);
  Key load_key(const Access& access, int64_t delta) const;
  void forget(Reg reg);

  Program program_;
  uint32_t place_ = 0;
  std::unordered_map<uint64_t, uint32_t> place_of_;
  std::vector<uint32_t> size_;  // bytes per lane of a virtual register
  std::vector<int32_t> group_;  // array it belongs to, or -1
  std::vector<uint8_t> kept_;
  std::vector<uint32_t> changed_;  // time of the last write
  std::vector<uint8_t> mutable_;
  uint32_t clock_ = 0;        // writes and loop boundaries so far
  uint32_t all_changed_ = 0;  // time when everything was invalidated
  uint32_t changes_ = 0;      // stores and calls so far: each invalidates loads
  size_t fence_ = 0;          // instructions before this one belong to another scope
  std::unordered_map<Key, Reg, KeyHash> known_;
  std::vector<std::vector<Key>> scopes_;
  std::unordered_map<Key, Reg, KeyHash> constants_;
  std::unordered_map<Symbol, Reg> inputs_;
  std::vector<std::pair<size_t, size_t>> loops_;  // [first, last] instruction
  std::vector<size_t> open_loops_;
  friend class RegisterAllocator;
};

}  // namespace tilelab::sim
