// SPDX-License-Identifier: Apache-2.0
// Text that C code and child processes write to file descriptors 1 and 2, brought to the front end
// in order with what Python writes. No thread here ever waits for the GIL, so a C function that
// prints more than a pipe holds, with the GIL held, can't deadlock.
#pragma once

#include <memory>
#include <string>

#include "core/support/function_ref.h"

namespace tilelab {

class Capture {
 public:
  /// Where text goes; called from the capture's thread and from those that call drain().
  using Sink = void (*)(const char* stream, const std::string& text);

  /// Redirects descriptors 1 and 2 into pipes until it dies.
  explicit Capture(Sink sink);
  ~Capture();
  Capture(const Capture&) = delete;

  /// Delivers everything that was written before this call.
  void drain();
  /// Runs `action` so that no captured text comes between or during it.
  void in_order(FunctionRef<void()> action);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tilelab
