// SPDX-License-Identifier: Apache-2.0
// The names of a function during elaboration: an environment that a join of control flow can
// restore.
#pragma once

#include <memory>
#include <unordered_map>
#include <utility>

#include "core/diagnostics/diagnostics.h"
#include "core/elaborate/liveness.h"
#include "core/elaborate/value.h"

namespace tilelab::elaborate {

/// A name binding of the function.
struct Binding {
  /// What the paths of run-time control flow that reach this point bind the name to.
  enum class Paths : uint8_t {
    agree,
    unbound,  // some path does not bind it: `value` is that of another path
    differ,   // `value` or `other`, which cannot be one dynamic value
  };

  Value value;
  int region = 0;  // where it was bound
  Span span;
  Paths paths = Paths::agree;
  std::shared_ptr<const Binding> other;
  Span deleted;            // by this `del`
  Span shadows;            // the buffer that it shadows
  Span read;               // a use of it
  bool reference = false;  // a parameter that T.Ref annotates: assignments store to its element
};

/// The name of a function's result where only some paths of dynamic control flow return it.
inline const Symbol kResult = "return";

// Rebinding the name of a buffer to a value: `C = A[i] + B[i]` forgot an index. But if the name is
// read later, as in `scale = scale[i] * 2` and `C[i] = A[i] * scale`, it is intended.

/// Whether the binding is currently reported as a forgotten index.
bool is_forgotten_index(const Diagnostics& diagnostics, const Binding& binding);
/// The rebinding is intended: the error becomes a warning.
void allow_rebinding(Diagnostics& diagnostics, const Binding& binding, Symbol name);

/// In the order in which the names were first bound.
using Bindings = std::vector<std::pair<Symbol, Binding>>;
const Binding* find(const Bindings& bindings, Symbol name);

/// A name whose value an iteration leaves to the next one, in a variable (or a tuple of them).
struct Carried {
  Symbol name;
  Value variable;
  Span span;
};

/// A loop of the running frame.
struct Loop {
  bool dynamic;
  int region;
  bool parallel = false;
  std::vector<Carried> carried;
  std::vector<Bindings> exits;                 // at each break
  std::vector<std::pair<Symbol, Span>> reads;  // of what the loop binds, before it
  size_t depth = 0;                            // of its part of the frame
  const Carried* variable(Symbol name) const;
};

/// The names of one call of a function.
struct Frame {
  std::unordered_map<Symbol, Binding> names;
  std::shared_ptr<Frame> parent;  // lexically enclosing frame, for a function defined in a kernel
  HostRef scope;                  // resolves free names
  int region = 0;                 // where the body started
  bool python = false;            // a plain Python function: its loops are unrolled
  const syntax::Node* function = nullptr;
  Value result = None{};
  std::vector<Value> yielded;  // by a generator

  Binding* find(Symbol name);
  /// Binds the name, and records the buffer that it shadows.
  void bind(Symbol name, Binding binding);
  /// Begins a part of the function that run-time control flow may skip or repeat.
  void open() { replaced_.emplace_back(); }
  /// Ends it: restores the names, and gives what the part bound.
  Bindings close();
  /// What the open parts from `depth` on have bound so far.
  Bindings bound_since(size_t depth) const;
  size_t depth() const { return replaced_.size(); }
  const Liveness& liveness();

 private:
  std::vector<std::vector<std::pair<Symbol, std::optional<Binding>>>> replaced_;
  std::unique_ptr<Liveness> liveness_;
};

}  // namespace tilelab::elaborate
