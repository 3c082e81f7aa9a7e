// SPDX-License-Identifier: Apache-2.0
// Captures text that C code and child processes write to file descriptors 1 and 2, in order with
// Python's output. No thread here ever waits for the GIL, so a C function that prints more than a
// pipe holds while holding the GIL cannot deadlock.
#pragma once

#include <memory>
#include <string>

#include "core/support/function_ref.h"

namespace tilelab {

class Capture {
 public:
  /// Receives the text; called from the capture's thread and from threads that call drain().
  using Sink = void (*)(const char* stream, const std::string& text);

  /// Redirects descriptors 1 and 2 into pipes during its lifetime.
  explicit Capture(Sink sink);
  ~Capture();
  Capture(const Capture&) = delete;

  /// Delivers everything written before this call.
  void drain();
  /// Runs `action` without captured text before its end.
  void in_order(FunctionRef<void()> action);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tilelab
