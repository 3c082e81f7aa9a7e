// SPDX-License-Identifier: Apache-2.0
// Induction variables that start at a value computed from the thread index and advance by constant
// steps, as `i = tid`, `while i < n: ...; i = i + 128`.
#pragma once

#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/ir/linear.h"
#include "core/ir/stmt.h"
#include "core/ir/traverse.h"

namespace tilelab {

/// Always `base` plus a multiple of `step`. The base depends only on the thread index and kernel
/// invariants. Step 0: constant.
struct ThreadStride {
  Linear base;
  int64_t step = 0;
};

/// Whether the value consists only of constants and names in `fixed`.
bool is_made_of(const Expr& value, const std::unordered_set<Symbol>& fixed, Symbol other = {});

class ThreadStrides {
 public:
  /// `fixed`: names that are invariant in the kernel; `lets`: the values of other names.
  ThreadStrides(const Kernel& kernel, const std::unordered_set<Symbol>& fixed,
                const Substitution& lets);

  /// Null if its values have no common form.
  const ThreadStride* of(Symbol name) const;

 private:
  /// All definitions of a name; sibling scopes may reuse a name.
  struct Given {
    std::vector<Expr> values, steps;
    bool unknown = false;
  };
  void note(const Node& node, std::unordered_set<const Node*>& unread);
  void note(Symbol name, const Expr& value);
  std::optional<ThreadStride> stride_of(Symbol name);
  bool join(Symbol name, const Expr& value, std::optional<ThreadStride>& sofar);
  bool add(const Linear::Term& term, ThreadStride& to);

  const std::unordered_set<Symbol>& fixed_;
  const Substitution& lets_;
  std::unordered_map<Symbol, Given> given_;
  std::unordered_map<Symbol, std::optional<ThreadStride>> strides_;  // empty while being computed
  int around_ = 0;                                                   // recursion depth
};

}  // namespace tilelab
