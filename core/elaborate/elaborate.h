// SPDX-License-Identifier: Apache-2.0
// Syntax tree -> tile-level IR. Follows TileLang's semantics (tracing with static control flow)
// by partial evaluation of the tree: what Python knows is computed, the rest becomes IR.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/diagnostics/diagnostics.h"
#include "core/elaborate/host.h"
#include "core/ir/func.h"
#include "core/syntax/tree.h"

namespace tilelab::elaborate {

struct Request {
  syntax::Tree function;  // Kind::function
  HostRef scope;          // answers its free names
  Symbol name;            // of the Func; empty = the function's own
  std::string target = "mp_31";
  /// Compile-time parameters (and, in the classic style, nothing). A parameter that is neither here
  /// nor annotated with a type must be declared in the body.
  std::map<Symbol, Value> arguments;
  std::map<Symbol, int64_t> constants;  // of T.const
  /// Stop at the first T.Kernel: `func` then has parameters only, and names of T.const without a
  /// value stand in their shapes.
  bool signature_only = false;
  bool eager = false;            // a jit function, which is the kernel itself
  std::vector<int64_t> outputs;  // positions (negative allowed), of the classic style's out_idx
};

struct Result {
  FuncRef func;                   // null after an error
  std::vector<Symbol> constants;  // all of T.const, in order
  std::vector<Symbol> runtime;    // parameters of the Python function that are run-time arguments
  std::vector<Symbol> returned;   // tensors that the function returns, in order
  bool returns_tuple = false;
};

/// Errors go to `diagnostics`; several are reported where that makes sense. Cancelled, when the
/// host throws it, goes through.
Result elaborate(const Request& request, HostValues& host, Diagnostics& diagnostics);

}  // namespace tilelab::elaborate
