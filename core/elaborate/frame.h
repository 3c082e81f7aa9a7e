// SPDX-License-Identifier: Apache-2.0
// The names of a function during elaboration.
#pragma once

#include <memory>
#include <unordered_map>

#include "core/elaborate/value.h"

namespace tilelab::elaborate {

/// A name binding of the function.
struct Binding {
  Value value;
  int region = 0;  // where it was bound
  Span span;
  bool rebound = false;  // it had another value before, outside of `region`
  Span deleted;          // by this `del`
  Span shadows;          // the buffer that it shadows
};

/// The names of one call of a function.
struct Frame {
  std::unordered_map<Symbol, Binding> names;
  std::shared_ptr<Frame> parent;  // lexically enclosing frame, for a function defined in a kernel
  HostRef scope;                  // resolves free names
  int region = 0;                 // where the body started
  bool python = false;            // a plain Python function: its loops are unrolled
  Value result = None{};
};

}  // namespace tilelab::elaborate
