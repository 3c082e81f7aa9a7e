// SPDX-License-Identifier: Apache-2.0
// What a thread's own names run through: variables and loops that begin at a value made of the
// thread's number and go on in steps, as `i = tid`, `while i < n: ...; i = i + 128`.
#pragma once

#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/ir/linear.h"
#include "core/ir/stmt.h"
#include "core/ir/traverse.h"

namespace tilelab {

/// `base` plus some multiple of `step` whenever anybody looks; the base is made of the thread's
/// number and of what is the same throughout the kernel. Step 0: it never changes.
struct ThreadStride {
  Linear base;
  int64_t step = 0;
};

/// Whether the value is made of constants and of names in `fixed` alone.
bool is_made_of(const Expr& value, const std::unordered_set<Symbol>& fixed, Symbol other = {});

class ThreadStrides {
 public:
  /// `fixed`: the names that have one value throughout the kernel; `lets`: what other names stand
  /// for.
  ThreadStrides(const Kernel& kernel, const std::unordered_set<Symbol>& fixed,
                const Substitution& lets);

  /// Null: its values have nothing in common.
  const ThreadStride* of(Symbol name) const;

 private:
  /// Whatever gives a name its values; sibling scopes may have one name for several things.
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
  std::unordered_map<Symbol, std::optional<ThreadStride>> strides_;  // empty while it is made
  int around_ = 0;  // names that are made of the one that is looked at
};

}  // namespace tilelab
