// SPDX-License-Identifier: Apache-2.0
// From index expressions to layouts. A loop in infer_layouts assigns iterations to threads by its
// layout (iteration -> thread and register); its accesses state which elements they need. These
// functions depend only on the loop, one access, and a layout.
//   loop i, j of 4 x 32 with map [[r(4, 1)], [t(32, 1)]], access x[j, i]:
//   access_map    x with [[t(32, 1)], [r(4, 1)]]     ->  the loop's own layout: the holder of x[j,
//   i] fragment_for  the loop's layout                  ->  x as [[t(32, 1)], [r(4, 1)]]
#pragma once

#include <vector>

#include "core/analysis/access.h"
#include "core/analysis/ranges.h"
#include "core/ir/thread_range.h"
#include "core/layout/layout.h"

namespace tilelab {

/// An operation for infer_layouts: T.Parallel, plain copies, fills and atomics are loops over their
/// box.
struct LayoutOp {
  enum class What { loop, gemm, reduce, everywhere };
  What what = What::loop;
  const Node* node = nullptr;
  std::vector<Symbol> vars;
  Index extents;
  /// Indices are over the variables and outer names; memory: shared and global.
  std::vector<BufferAccess> fragments, memory;
  ThreadRange threads;       // that run it
  int64_t wanted_vec = 0;    // coalesced_width
  int64_t least_vec = 1;     // minimum for copies that complete in groups: 4 bytes
  int64_t gathers = 0;       // for a gather loop: elements that a thread can copy at once
  bool each_thread = false;  // every thread runs all of it, in its private memory
  bool one_replica = false;  // replicas would read modified elements, or repeat atomics
  RangeAnalysis facts;
  Layout layout;  // of the loop
  int64_t vec = 1;

  bool writes_fragment() const;
};

/// Determines the width of an access: `strides` and `layout` if not row-major.
struct AccessedMemory {
  DType dtype = DType::f32;
  std::vector<Expr> shape, strides;
  Layout layout;
  Swizzle swizzle;
  bool scattered = false;  // consecutive elements are not contiguous
  int64_t sums = 1;        // elements of an atomic sum
};

/// The layout of the accessed elements: iteration -> thread and register. nullopt if the thread
/// depends on something outside the loop, or has no digit form.
std::optional<Layout> access_map(const LayoutOp& op, const BufferAccess& access,
                                 const Layout& fragment);
/// The layout that a fragment of that shape needs so that each thread of `loop` holds the elements
/// it accesses.
std::optional<Layout> fragment_for(const LayoutOp& op, const BufferAccess& access,
                                   const Index& shape, const Layout& loop);
/// Whether `loop` may run the access on `fragment`: a read needs one holder, a write all of them.
bool fits(const LayoutOp& op, const BufferAccess& access, const Layout& fragment,
          const Layout& loop);
/// Whether different iterations access different elements along every variable.
bool covers(const LayoutOp& op, const BufferAccess& access);
/// Whether iterations provably access different elements of a buffer of that shape.
bool one_to_one(const LayoutOp& op, const BufferAccess& access, const Index& shape);
/// Whether the access covers every element of a buffer of that shape.
bool fills(const LayoutOp& op, const BufferAccess& access, const Index& shape);
/// Whether consecutive iterations of the loop's last variable access different elements.
bool touches_last(const LayoutOp& op, const BufferAccess& access);
/// Whether they access elements of different rows.
bool crosses_rows(const LayoutOp& op, const BufferAccess& access);
/// Elements of one vector access along the last variable (1: no vector): consecutive and aligned,
/// so that the start of the access and the pitch of the other dimensions are multiples of the
/// width.
int64_t access_width(const LayoutOp& op, const BufferAccess& access, const AccessedMemory& memory,
                     int64_t vector_bytes);

}  // namespace tilelab
