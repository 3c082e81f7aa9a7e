// SPDX-License-Identifier: Apache-2.0
// What the files of infer_layouts share. The pass sees a kernel as a list of operations in program
// order; T.Parallel, plain copies, fills and atomics are all loops whose body accesses memory at
// indices that depend on the loop's variables. A fragment's layout is decided once (decide.cpp);
// then every loop takes a map that owns what it reads, and what doesn't fit is converted through
// shared memory (rewrite.cpp).
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "core/ir/build.h"
#include "core/ir/thread_range.h"
#include "core/ir/traverse.h"
#include "core/ir/varying.h"
#include "core/layout/layout.h"
#include "core/passes/facts.h"
#include "core/passes/pass.h"

namespace tilelab {

/// An access of a loop to memory; `index` is over the loop's variables and whatever is outside.
struct LoopAccess {
  Symbol buffer;
  std::vector<Expr> index;
  bool write = false;
  Span span;
};

struct LayoutOp {
  enum class What { loop, gemm, reduce, everywhere };
  What what = What::loop;
  const Node* node = nullptr;
  std::vector<Symbol> vars;
  Index extents;
  std::vector<LoopAccess> fragments, memory;  // memory: shared and global
  ThreadRange threads;                        // that run it
  int64_t wanted_vec = 0;                     // coalesced_width
  bool each_thread = false;                   // every thread runs all of it, in its private memory
  bool one_replica = false;  // others would read what the first has changed, or repeat its atomics
  Facts facts;
  Layout layout;  // of the loop
  int64_t vec = 1;

  bool writes_fragment() const;
};

/// A fragment and who decided its layout.
struct FragmentState {
  const Buffer* buffer = nullptr;
  Index shape;
  Layout layout;
  std::string why;  // "matrix instruction sqmma", "T.copy" ...
  Span span;        // of the deciding statement
  bool annotated = false;
  ThreadRange threads;  // the fewest that use it, of the first role that does
};

/// The state of the pass over one kernel.
class LayoutProblem {
 public:
  LayoutProblem(const Func& func, const Kernel& kernel, PassContext& context);

  /// Reads the kernel (infer_layouts_collect.cpp).
  void collect();
  /// Gives every fragment and loop its map (infer_layouts_decide.cpp).
  void decide();

  std::vector<LayoutOp>& ops() { return ops_; }
  PassContext& context() const { return context_; }
  const Func& func() const { return func_; }
  const Kernel& kernel() const { return kernel_; }
  /// Names of the fragments, as declared.
  const std::vector<Symbol>& fragments() const { return order_; }
  bool is_fragment(Symbol name) const { return fragments_.count(base_of(name)) != 0; }
  /// The allocation behind a view.
  Symbol base_of(Symbol name) const;
  DType dtype_of(Symbol name) const;
  Index shape_of(Symbol name) const;
  const BufferTable& buffers() const { return buffers_; }
  /// Layout of a fragment or of a view of one; unknown while undecided.
  Layout layout_of(Symbol name) const;
  const FragmentState& state_of(Symbol name) const { return fragments_.at(base_of(name)); }
  /// False if the view can't have this layout (its elements and the base's don't match up).
  bool set_layout(Symbol name, const Layout& layout, const std::string& why, Span span);

  // ---- maps of accesses (infer_layouts_access.cpp) ---
  /// Who holds what the loop accesses: iteration -> thread and register of the element. nullopt if
  /// the threads depend on something outside the loop, or have no digit form.
  std::optional<Layout> access_map(const LayoutOp& op, const LoopAccess& access,
                                   const Layout& fragment) const;
  /// The layout that a fragment needs so that each thread of `loop` finds its own elements.
  std::optional<Layout> fragment_for(const LayoutOp& op, const LoopAccess& access,
                                     const Layout& loop) const;
  /// Whether `loop` may run the access on `fragment`: reads need one holder, writes all of them.
  bool fits(const LayoutOp& op, const LoopAccess& access, const Layout& fragment,
            const Layout& loop) const;
  /// Whether the loop writes every element of the buffer, under no condition, and reads none.
  bool overwrites(const LayoutOp& op, Symbol buffer) const;
  /// Whether different iterations access different elements along every variable.
  bool covers(const LayoutOp& op, const LoopAccess& access) const;
  /// Elements that one access of memory can move, counted along the last variable (1: no vector);
  /// `touched`: whether it depends on that variable at all.
  int64_t width(const LayoutOp& op, const LoopAccess& access, bool& touched) const;
  /// Widest common access of the loop's memory, 0 if it has none.
  int64_t memory_width(const LayoutOp& op) const;
  /// The widest access that a loop map allows for this loop.
  int64_t vector_of(const LayoutOp& op, const Layout& loop) const;

  /// The map that matrix instruction or plain code wants for an operand: 'a', 'b', 'c'.
  Layout gemm_demand(const Gemm& gemm, char operand, const ThreadRange& threads) const;
  /// Map of a reduction's result in the shape of its destination.
  Layout reduced_layout(const Reduce& reduce) const;

 private:
  void enter(const Stmt& stmt, const ThreadRange& threads, Facts facts);
  void everywhere(const Expr& expr, const ThreadRange& threads, const Facts& facts);
  void read_element_store(const Store& store, const ThreadRange& threads, const Facts& facts);
  void read_parallel(const Parallel& loop, const ThreadRange& threads, Facts facts);
  void read_box(const Node& node, const Expr& dst, const Expr& src, const ThreadRange& threads,
                const Facts& facts);
  bool each_thread_its_own(const Node& node, const Expr& dst, const Expr& src) const;
  void read_body(LayoutOp& op, const Stmt& body);
  bool changes_what_it_reads(const LayoutOp& op) const;
  void read_expr(LayoutOp& op, const Expr& expr);
  void add_access(LayoutOp& op, LoopAccess access);
  void use(Symbol name, const ThreadRange& threads);

  void decide_strict();
  bool propagate();
  bool propagate_loop(LayoutOp& op);
  bool propagate_reduce(const LayoutOp& op);
  bool seed_largest();
  int64_t seed_width(Symbol fragment) const;
  /// Dimensions of a fragment that some loop indexes by something other than its variables.
  std::vector<bool> indexed_from_outside(Symbol fragment) const;
  void decide_loop(LayoutOp& op);
  std::vector<Layout> loop_candidates(const LayoutOp& op) const;
  Layout own_map(const LayoutOp& op) const;

  const Func& func_;
  const Kernel& kernel_;
  PassContext& context_;
  BufferTable buffers_;
  Varying varying_;
  std::unordered_map<Symbol, const View*> views_;
  std::unordered_map<Symbol, FragmentState> fragments_;
  std::vector<Symbol> order_;  // fragments in order of declaration
  std::vector<LayoutOp> ops_;
};

/// The kernel with everything decided written into it (infer_layouts_rewrite.cpp).
Kernel apply_layouts(LayoutProblem& problem);

/// The layout in the threads of a range: thread 0 becomes the range's first.
Layout moved_to(Layout layout, const ThreadRange& threads);
/// All of a fragment in each thread of the range.
Layout in_every_thread(const Index& shape, const ThreadRange& threads);
/// Whether all threads of the layout are in the range.
bool lies_in(const Layout& layout, const ThreadRange& threads);
/// Extents of a region that are not 1, in order.
Index box_of(const Region& region);
/// The region is all of a buffer of this shape.
bool is_whole(const Region& region, const Index& shape);
/// "3: " or "" for reasons.
std::string line_prefix(const Node& node);

}  // namespace tilelab
