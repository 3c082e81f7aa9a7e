// SPDX-License-Identifier: Apache-2.0
// From index expressions to maps. A loop of infer_layouts runs iterations in threads by its map
// (iteration -> thread and register); its accesses say which elements they need. Nothing here knows
// more than the loop, an access of it, and a layout.
//   loop i, j of 4 x 32 with map [[r(4, 1)], [t(32, 1)]], access x[j, i]:
//   access_map    x held as [[t(32, 1)], [r(4, 1)]]  ->  the loop's own map: who holds x[j, i]
//   fragment_for  the loop's map                     ->  x as [[t(32, 1)], [r(4, 1)]]
#pragma once

#include <vector>

#include "core/analysis/access.h"
#include "core/analysis/ranges.h"
#include "core/ir/thread_range.h"
#include "core/layout/layout.h"

namespace tilelab {

/// An operation as infer_layouts sees it: T.Parallel, plain copies, fills and atomics are loops
/// over their box.
struct LayoutOp {
  enum class What { loop, gemm, reduce, everywhere };
  What what = What::loop;
  const Node* node = nullptr;
  std::vector<Symbol> vars;
  Index extents;
  /// Indices are over the variables and whatever is outside; memory: shared and global.
  std::vector<BufferAccess> fragments, memory;
  ThreadRange threads;       // that run it
  int64_t wanted_vec = 0;    // coalesced_width
  int64_t least_vec = 1;     // of copies that complete in groups, which have 4 bytes
  int64_t gathers = 0;       // elements that a thread can copy at once, of a loop that gathers
  bool each_thread = false;  // every thread runs all of it, in its private memory
  bool one_replica = false;  // others would read what the first has changed, or repeat its atomics
  RangeAnalysis facts;
  Layout layout;  // of the loop
  int64_t vec = 1;

  bool writes_fragment() const;
};

/// What the width of an access depends on: `strides` and `layout` where they are not row-major.
struct AccessedMemory {
  DType dtype = DType::f32;
  std::vector<Expr> shape, strides;
  Layout layout;
  Swizzle swizzle;
  bool scattered = false;  // neighbours lie anywhere
  int64_t sums = 1;        // elements of an atomic sum
};

/// Who holds what the loop accesses: iteration -> thread and register of the element. nullopt if
/// the threads depend on something outside the loop, or have no digit form.
std::optional<Layout> access_map(const LayoutOp& op, const BufferAccess& access,
                                 const Layout& fragment);
/// The layout that a fragment of that shape needs so that each thread of `loop` finds its own
/// elements.
std::optional<Layout> fragment_for(const LayoutOp& op, const BufferAccess& access,
                                   const Index& shape, const Layout& loop);
/// Whether `loop` may run the access on `fragment`: reads need one holder, writes all of them.
bool fits(const LayoutOp& op, const BufferAccess& access, const Layout& fragment,
          const Layout& loop);
/// Whether different iterations access different elements along every variable.
bool covers(const LayoutOp& op, const BufferAccess& access);
/// Whether iterations access different elements of a buffer of that shape, as far as can be told
/// when the kernel is compiled.
bool one_to_one(const LayoutOp& op, const BufferAccess& access, const Index& shape);
/// Whether the access meets every element of a buffer of that shape.
bool fills(const LayoutOp& op, const BufferAccess& access, const Index& shape);
/// Whether neighbours along the loop's last variable access different elements.
bool touches_last(const LayoutOp& op, const BufferAccess& access);
/// Whether neighbours along it access elements of different rows.
bool crosses_rows(const LayoutOp& op, const BufferAccess& access);
/// Elements that one access can move, counted along the last variable (1: no vector): consecutive,
/// and aligned, so that the pitch of the other dimensions and where the access starts are multiples
/// of the width.
int64_t access_width(const LayoutOp& op, const BufferAccess& access, const AccessedMemory& memory,
                     int64_t vector_bytes);

}  // namespace tilelab
