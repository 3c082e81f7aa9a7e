// SPDX-License-Identifier: Apache-2.0
// Cooperative threads of the emulation: one stack each, switched explicitly.
#pragma once

#include <cstddef>

namespace tilelab::emu {

/// A continuation. Switching saves the callee-saved registers on the current stack.
struct Context {
  void* stack_pointer = nullptr;
  void* other = nullptr;  // ucontext_t, on machines without an assembly switch
};

/// Stacks for `count` fibres, mapped once; pages are allocated on use.
class Stacks {
 public:
  static constexpr size_t bytes = 256 << 10;
  ~Stacks();
  /// Provides at least `count` stacks; earlier contexts become invalid.
  void reserve(int count);
  /// Prepares stack i to call entry(argument) at the first switch to `context`. `entry` must not
  /// return.
  void start(int i, Context& context, void (*entry)(void*), void* argument);

 private:
  char* memory_ = nullptr;
  int count_ = 0;
};

/// Leaves the running context for `to`; returns when `from` is resumed.
void switch_context(Context& from, Context& to);

}  // namespace tilelab::emu
