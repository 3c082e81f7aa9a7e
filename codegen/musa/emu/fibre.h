// SPDX-License-Identifier: Apache-2.0
// Cooperative threads of the emulation: one stack each, switched by hand.
#pragma once

#include <cstddef>

namespace tilelab::emu {

/// A place to continue at. Switching saves the callee-saved registers on the stack that is left.
struct Context {
  void* stack_pointer = nullptr;
  void* other = nullptr;  // ucontext_t, where the machine has no hand-written switch
};

/// Stacks for `count` fibres, mapped once and touched only where used.
class Stacks {
 public:
  static constexpr size_t bytes = 256 << 10;
  ~Stacks();
  /// Makes room for at least `count` stacks; earlier contexts are lost.
  void reserve(int count);
  /// Prepares stack i to call entry(argument) at the first switch to `context`. `entry` must not
  /// return.
  void start(int i, Context& context, void (*entry)(void*), void* argument);

 private:
  char* memory_ = nullptr;
  int count_ = 0;
};

/// Leaves the running context for `to`; returns when somebody switches back to `from`.
void switch_context(Context& from, Context& to);

}  // namespace tilelab::emu
