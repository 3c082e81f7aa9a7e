// SPDX-License-Identifier: Apache-2.0
// Buffers of the block whose elements a list of statements has filled from tensors, such as row
// numbers: a later gather can read the tensors itself, iterations before its use.
//   for i in parallel(64): rows[i] = index[k * 64 + i]
//   for i, j in parallel(64, 64): a[i, j] = A[rows[i], j]   ->   a[i, j] = A[index[k * 64 + i], j]
#pragma once

#include <unordered_map>
#include <vector>

#include "core/ir/traverse.h"
#include "core/layout/layout.h"

namespace tilelab {

class FilledBuffers {
 public:
  /// `value` of the element at `vars`; null: unknown.
  struct Elements {
    Symbol buffer;
    std::vector<Symbol> vars;
    Index extents;
    Expr value;
  };
  void record(Elements elements) { known_[elements.buffer] = std::move(elements); }
  template <class Names> void forget(const Names& written) {
    for (Symbol name : written) known_.erase(name);
  }
  /// The statement with loads of known elements replaced by their values.
  Stmt with_values(const Stmt& stmt) const;
  Expr with_values(const Expr& value) const;

 private:
  Expr value_of(const Expr& element) const;
  std::unordered_map<Symbol, Elements> known_;
};

/// The elements that a loop fills one by one, or a copy of a tensor's box, or the only element, if
/// a store fills it; without a value if the statement has another form.
FilledBuffers::Elements elements_of(const Parallel& loop);
FilledBuffers::Elements elements_of(const For& loop);
FilledBuffers::Elements elements_of(const Store& store);
FilledBuffers::Elements elements_of(const Copy& copy);

}  // namespace tilelab
