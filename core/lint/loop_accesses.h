// SPDX-License-Identifier: Apache-2.0
// What one turn of a loop does to memory that stands still while the loop turns: accesses in
// program order, each with its place in a form that tells whether two are of the same elements.
#pragma once

#include <string>
#include <vector>

#include "core/analysis/effects.h"
#include "core/analysis/ranges.h"

namespace tilelab {

struct TurnAccess {
  enum class How : uint8_t { read, write, update };  // update: reads what it writes over

  Symbol memory;  // a buffer, a tensor or a variable
  How how = How::read;
  std::string place;             // of the elements; empty: not followed, or another in each turn
  bool sure = true;              // in every turn
  bool constant = false;         // writes what is the same in every turn, from no memory
  bool whole = false;            // of the whole buffer
  const Node* by = nullptr;      // the statement
  const Node* within = nullptr;  // the outermost loop around it in the loop that turns
  Span span;
  std::vector<Symbol> from;  // memory, and the loop's variable, that decides what is written
};

struct Turn {
  std::vector<TurnAccess> accesses;
  std::vector<Symbol> declared;  // in the loop: new in each turn
};

/// The turns of `loop`, whose kernel declares these buffers; `facts` are of the place of the loop,
/// `lets` those around it, written out.
Turn turn_of(const For& loop, const BufferTable& buffers, const RangeAnalysis& facts,
             const Substitution& lets);

}  // namespace tilelab
