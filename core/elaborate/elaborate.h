// SPDX-License-Identifier: Apache-2.0
// Syntax tree -> tile-level IR. Follows TileLang's semantics (tracing with static control flow) by
// partial evaluation of the tree: compile-time values are computed, everything else becomes IR.
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
  HostRef scope;          // resolves its free names
  Symbol name;            // of the Func; empty = the function's name
  std::string target = "mp_31";
  /// Compile-time parameters (none in the classic style). A parameter that is neither here nor
  /// annotated with a type must be declared in the body.
  std::map<Symbol, Value> arguments;
  std::map<Symbol, int64_t> constants;  // of T.const
  /// Stop at the first T.Kernel: `func` then has only parameters, whose shapes contain the names of
  /// T.const without a value.
  bool signature_only = false;
  bool eager = false;            // a jit function that is itself the kernel
  std::vector<int64_t> outputs;  // positions (negative allowed) in the classic style's out_idx
};

struct Result {
  FuncRef func;                   // null after an error
  std::vector<Symbol> constants;  // all of T.const, in order
  std::vector<Symbol> runtime;    // parameters of the Python function that are passed at run time
  std::vector<Symbol> returned;   // tensors that the function returns, in order
  bool returns_tuple = false;
};

/// Reports errors to `diagnostics`, several if possible. Cancelled, thrown by the host, propagates.
Result elaborate(const Request& request, HostValues& host, Diagnostics& diagnostics);

}  // namespace tilelab::elaborate
