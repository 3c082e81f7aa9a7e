// SPDX-License-Identifier: Apache-2.0
// The names that a function binds while it is elaborated.
#pragma once

#include <memory>
#include <unordered_map>

#include "core/elaborate/value.h"

namespace tilelab::elaborate {

/// A name of the function that is elaborated.
struct Binding {
  Value value;
  int region = 0;  // in which it was bound
  Span span;
  bool rebound = false;  // it had another value before, outside of `region`
  Span deleted;          // by this `del`
  Span hides;            // the buffer that had the name
};

/// The names of one activation of a function.
struct Frame {
  std::unordered_map<Symbol, Binding> names;
  std::shared_ptr<Frame> parent;  // lexically enclosing, of a function defined in a kernel
  HostRef scope;                  // answers what is bound nowhere
  int region = 0;                 // in which the body started
  bool python = false;            // of a plain Python function: its loops are Python's
  Value result = None{};
};

}  // namespace tilelab::elaborate
