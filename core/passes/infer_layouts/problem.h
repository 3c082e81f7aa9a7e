// SPDX-License-Identifier: Apache-2.0
// What infer_layouts knows of a kernel: a list of operations in program order, the fragments, and
// who uses them. A fragment's layout is decided once (solve.cpp); then every loop takes a map that
// owns what it reads, and what doesn't fit is converted through shared memory (write.cpp).
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/analysis/divergence.h"
#include "core/ir/build.h"
#include "core/ir/traverse.h"
#include "core/layout/fragments.h"
#include "core/passes/infer_layouts/accesses.h"
#include "core/passes/pass.h"

namespace tilelab {

/// A fragment and who decided its layout.
struct FragmentState {
  const Buffer* buffer = nullptr;
  Index shape;
  Layout layout;
  std::string why;  // "matrix instruction sqmma", "T.copy" ...
  Span span;        // of the deciding statement
  bool annotated = false;
  ThreadRange threads;  // the fewest that use it, of the first role that does
  ThreadRange home;     // of the block or role that declares it
};

/// The state of the pass over one kernel.
class LayoutProblem {
 public:
  /// `narrow`: of the loops with columns_beside_rows those whose lanes have one element of a
  /// column.
  LayoutProblem(const Func& func, const Kernel& kernel, PassContext& context,
                std::unordered_set<const Node*> narrow);

  std::vector<LayoutOp>& ops() { return ops_; }
  const std::vector<LayoutOp>& ops() const { return ops_; }
  PassContext& context() const { return context_; }
  const Func& func() const { return func_; }
  const Kernel& kernel() const { return kernel_; }
  const DivergenceAnalysis& varying() const { return varying_; }
  /// Whether matrix instructions, for which the program did not ask, spread its fragments over
  /// threads: then a conversion is a fact, and nothing that the program does.
  bool spread_by_units() const { return spread_by_units_; }
  /// Names of the fragments, as declared.
  const std::vector<Symbol>& fragments() const { return order_; }
  bool is_fragment(Symbol name) const { return fragments_.count(base_of(name)) != 0; }
  /// The allocation behind a view.
  Symbol base_of(Symbol name) const { return views_.base_of(name); }
  DType dtype_of(Symbol name) const;
  Index shape_of(Symbol name) const;
  /// Of the allocation; nothing for names that are no buffers.
  std::optional<Scope> scope_of(Symbol name) const;
  /// Layout of a fragment or of a view of one; unknown while undecided.
  Layout layout_of(Symbol name) const;
  const FragmentState& state_of(Symbol name) const { return fragments_.at(base_of(name)); }
  FragmentState& state_of(Symbol name) { return fragments_.at(base_of(name)); }
  /// Whether the fragment can lie so as all its views see it.
  bool suits_views(const FragmentState& state, const Layout& layout) const;
  /// False if the name or a view can't have this layout (its elements and the base's don't match
  /// up).
  bool set_layout(Symbol name, const Layout& layout, const std::string& why, Span span);
  /// Takes note that these threads use the fragment.
  void use(Symbol name, const ThreadRange& threads);

  std::optional<Layout> fragment_for(const LayoutOp& op, const BufferAccess& access,
                                     const Layout& loop) const {
    return tilelab::fragment_for(op, access, shape_of(access.buffer), loop);
  }
  /// Whether the loop writes every element of the buffer, under no condition, and reads none.
  bool overwrites(const LayoutOp& op, Symbol buffer) const;
  /// Whether rows of the tensor are known to be whole vectors.
  bool rows_are_multiples(const LayoutOp& op, Symbol tensor, int64_t vec) const;
  AccessedMemory memory_of(Symbol name) const;
  /// Widest common access of the loop's memory, 0 if it has none.
  int64_t memory_width(const LayoutOp& op) const;
  /// Whether columns of shared tiles are spread over banks and lanes: unless a thread is alone, or
  /// the pass configuration tilelab.bank_swizzles is false.
  bool spreads_columns() const { return spreads_columns_; }
  /// Whether the loop touches a column of a shared tile beside a tensor's rows, so that a lane may
  /// have as many elements of the column as accesses to the tensor are wide.
  bool columns_beside_rows(const LayoutOp& op) const;
  /// The widest access that a loop map allows for this loop.
  int64_t vector_of(const LayoutOp& op, const Layout& loop) const;
  /// The map that matrix instruction or plain code wants for an operand: a, b or c.
  Layout gemm_demand(const Gemm& gemm, MatrixOperand operand, const ThreadRange& threads) const;

 private:
  const Func& func_;
  const Kernel& kernel_;
  PassContext& context_;
  BufferTable buffers_;
  BufferViews views_;
  DivergenceAnalysis varying_;
  std::unordered_set<const Node*> narrow_;
  bool spreads_columns_ = false, spread_by_units_ = false;
  std::unordered_map<Symbol, FragmentState> fragments_;
  std::vector<Symbol> order_;  // fragments in order of declaration
  std::vector<LayoutOp> ops_;
};

/// Reads the kernel into `problem.ops()`, whose nodes are all different (collect.cpp).
void collect(LayoutProblem& problem);
/// Gives every fragment and loop its map (solve.cpp).
void solve(LayoutProblem& problem);
/// The kernel with everything decided written into it (write.cpp).
Kernel apply_layouts(LayoutProblem& problem, std::unordered_map<Symbol, int>& taken);

/// The layout in the threads of a range: thread 0 becomes the range's first.
Layout moved_to(Layout layout, const ThreadRange& threads);
/// All of a fragment in each thread of the range.
Layout in_every_thread(const Index& shape, const ThreadRange& threads);
/// Whether all threads of the layout are in the range.
bool lies_in(const Layout& layout, const ThreadRange& threads);
/// The layout without its dimensions of extent 1: what the box of a region sees.
Layout squeezed(const Layout& layout);
/// A reduction's result: the source's map without the reduced digits. `keep`: those dimensions
/// stay, with extent 1.
Layout reduced_layout(const Layout& source, std::vector<int64_t> dims, bool keep);
/// The gemm's region for an operand.
const Expr& operand_of(const Gemm& gemm, MatrixOperand operand);
/// Extents of a region that are not 1, in order.
Index box_of(const Region& region);
/// The region is all of a buffer of this shape.
bool is_whole(const Region& region, const Index& shape);
/// "3: " or "" for reasons.
std::string line_prefix(const Node& node);

}  // namespace tilelab
