// SPDX-License-Identifier: Apache-2.0
// The IR under construction: a stack of statement blocks with their regions and name bindings.
#pragma once

#include <set>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/ir/build.h"

namespace tilelab::elaborate {

class Emitter {
 public:
  Emitter() { open_side_block(); }

  // ---- blocks
  /// `conditional`: whether the block runs is decided at run time.
  void open_block(bool conditional = true);
  Stmt close_block();
  /// A block of the current region; the caller takes its statements.
  void open_side_block() { blocks_.emplace_back(); }
  std::vector<Stmt> close_side_block();
  void append(Stmt stmt, Span span) { block().push_back(at(span, std::move(stmt))); }
  std::vector<Stmt>& block() { return blocks_.back(); }
  std::vector<Stmt>& block(size_t depth) { return blocks_[depth]; }
  size_t depth() const { return blocks_.size() - 1; }

  // ---- regions: one per open block, numbered in the order of their creation
  int region() const { return regions_.back(); }
  const std::vector<int>& regions() const { return regions_; }
  bool active(int region) const;
  /// Whether a run-time condition inside `region` controls this statement.
  bool conditional_since(int region) const;

  // ---- names
  void reserve(Symbol name) { ++taken_[name]; }
  /// A unique name derived from `base`. Names of buffers are unique in the function (`forever`),
  /// because passes hoist their declarations; other names are unique in their scope.
  Symbol fresh(Symbol base, bool forever = false);
  /// A name derived from `base` that a finished body does not bind either.
  Symbol fresh_avoiding(const std::set<Symbol>& bound, Symbol base);
  /// Whether no block binds the name: a parameter or dim, or a name of the function's own
  /// statements.
  bool is_of_function(Symbol name) const;
  /// Whether the region in which `fresh` made the name has not ended. A later region may reuse it.
  bool in_scope(Symbol name) const;

 private:
  struct MadeName {
    Symbol name, base;
    int number;  // suffix after the base; 0: none
  };
  std::vector<std::vector<Stmt>> blocks_;
  std::vector<int> regions_{0};
  std::set<int> unconditional_{0};  // regions that execute whenever the enclosing one does
  int next_region_ = 1;
  std::unordered_map<Symbol, int> taken_;                // names in scope, by use count
  std::unordered_set<Symbol> ended_;                     // names of closed regions
  std::vector<std::vector<MadeName>> region_names_{{}};  // released with their region
  std::unordered_map<Symbol, int> free_number_;          // by base: all lower suffixes are taken
  std::unordered_map<Symbol, int> made_in_;              // the region of each made name
};

}  // namespace tilelab::elaborate
