// SPDX-License-Identifier: Apache-2.0
// Messages about the program, with the call stack of inlined macros and functions.
#pragma once

#include <vector>

#include "core/diagnostics/diagnostics.h"

namespace tilelab::elaborate {

class Reporter {
 public:
  explicit Reporter(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  template <class... Args> Diagnostic& report(Diag id, Span span, const Args&... args) {
    return trail(diagnostics_.report(id, span, args...));
  }
  std::vector<Span> calls;  // currently being inlined, outermost first

 private:
  Diagnostic& trail(Diagnostic& diagnostic) const {
    for (size_t i = calls.size(); i-- > 0;) diagnostic.label(calls[i], "called from here");
    return diagnostic;
  }
  Diagnostics& diagnostics_;
};

}  // namespace tilelab::elaborate
