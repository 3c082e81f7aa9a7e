// SPDX-License-Identifier: Apache-2.0
// The layout inference problem for one kernel: its operations in program order, its fragments and
// their users. A fragment's layout is decided once (solve.cpp); then every loop takes a layout that
// holds the elements it reads, and the remaining mismatches are converted through shared memory
// (write.cpp).
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

/// A fragment, its layout, and the statement that decided it.
struct FragmentState {
  const Buffer* buffer = nullptr;
  Index shape;
  Layout layout;
  std::string why;  // "matrix instruction sqmma", "T.copy" ...
  Span span;        // of the deciding statement
  bool annotated = false;
  ThreadRange threads;  // the smallest range that uses it, in the first role that does
  ThreadRange home;     // of the block or role that declares it
};

/// The state of the pass over one kernel.
class LayoutProblem {
 public:
  /// `narrow`: the loops with columns_and_rows whose lanes have one element of a column.
  LayoutProblem(const Func& func, const Kernel& kernel, PassContext& context,
                std::unordered_set<const Node*> narrow);

  std::vector<LayoutOp>& ops() { return ops_; }
  const std::vector<LayoutOp>& ops() const { return ops_; }
  PassContext& context() const { return context_; }
  const Func& func() const { return func_; }
  const Kernel& kernel() const { return kernel_; }
  const DivergenceAnalysis& varying() const { return varying_; }
  /// Whether matrix instructions that the program did not request determine its fragments' layouts:
  /// then a conversion is not the program's choice.
  bool layouts_by_units() const { return layouts_by_units_; }
  /// Names of the fragments, as declared.
  const std::vector<Symbol>& fragments() const { return order_; }
  bool is_fragment(Symbol name) const { return fragments_.count(base_of(name)) != 0; }
  /// The allocation that a view refers to.
  Symbol base_of(Symbol name) const { return views_.base_of(name); }
  DType dtype_of(Symbol name) const;
  Index shape_of(Symbol name) const;
  /// Scope of the allocation; nullopt for names that are not buffers.
  std::optional<Scope> scope_of(Symbol name) const;
  /// Layout of a fragment or of a view of one; unknown while undecided.
  Layout layout_of(Symbol name) const;
  const FragmentState& state_of(Symbol name) const { return fragments_.at(base_of(name)); }
  FragmentState& state_of(Symbol name) { return fragments_.at(base_of(name)); }
  /// Whether the layout is compatible with all views of the fragment.
  bool suits_views(const FragmentState& state, const Layout& layout) const;
  /// False if the name or a view cannot have this layout (its elements do not match the base's).
  bool set_layout(Symbol name, const Layout& layout, const std::string& why, Span span);
  /// Records that these threads use the fragment.
  void use(Symbol name, const ThreadRange& threads);

  std::optional<Layout> fragment_for(const LayoutOp& op, const BufferAccess& access,
                                     const Layout& loop) const {
    return tilelab::fragment_for(op, access, shape_of(access.buffer), loop);
  }
  /// Whether the loop writes every element of the buffer, unconditionally, and reads none.
  bool overwrites(const LayoutOp& op, Symbol buffer) const;
  /// Whether rows of the tensor are known to be whole vectors.
  bool rows_are_multiples(const LayoutOp& op, Symbol tensor, int64_t vec) const;
  AccessedMemory memory_of(Symbol name) const;
  /// Widest common access of the loop's memory, 0 if it has none.
  int64_t memory_width(const LayoutOp& op) const;
  /// Whether columns of shared tiles are distributed over banks and lanes: unless the block has a
  /// single thread, or the pass configuration tilelab.bank_swizzles is false.
  bool spreads_columns() const { return spreads_columns_; }
  /// Whether the loop accesses a column of a shared tile together with rows of a tensor, so that a
  /// lane may have as many elements of the column as the tensor access is wide.
  bool columns_and_rows(const LayoutOp& op) const;
  /// The widest access that a layout allows for this loop.
  int64_t vector_of(const LayoutOp& op, const Layout& loop) const;
  /// The layout that a matrix instruction or plain code requires for an operand: a, b or c.
  Layout gemm_demand(const Gemm& gemm, MatrixOperand operand, const ThreadRange& threads) const;

 private:
  const Func& func_;
  const Kernel& kernel_;
  PassContext& context_;
  BufferTable buffers_;
  BufferViews views_;
  DivergenceAnalysis varying_;
  std::unordered_set<const Node*> narrow_;
  bool spreads_columns_ = false, layouts_by_units_ = false;
  std::unordered_map<Symbol, FragmentState> fragments_;
  std::vector<Symbol> order_;  // fragments in order of declaration
  std::vector<LayoutOp> ops_;
};

/// Reads the kernel into `problem.ops()`, whose nodes are all different (collect.cpp).
void collect(LayoutProblem& problem);
/// Decides the layout of every fragment and loop (solve.cpp).
void solve(LayoutProblem& problem);
/// The kernel with all decisions applied (write.cpp).
Kernel apply_layouts(LayoutProblem& problem, std::unordered_map<Symbol, int>& taken);

/// The layout in the threads of a range: thread 0 becomes the range's first.
Layout rebased(Layout layout, const ThreadRange& threads);
/// Replicates all of a fragment in each thread of the range.
Layout replicated(const Index& shape, const ThreadRange& threads);
/// Whether all threads of the layout are in the range.
bool is_within(const Layout& layout, const ThreadRange& threads);
/// The layout without its dimensions of extent 1, as for the box of a region.
Layout squeezed(const Layout& layout);
/// The layout of a reduction's result: the source's without the reduced digits. `keep`: those
/// dimensions remain, with extent 1.
Layout reduced_layout(const Layout& source, std::vector<int64_t> dims, bool keep);
/// The gemm's region for an operand.
const Expr& operand_of(const Gemm& gemm, MatrixOperand operand);
/// The region is all of a buffer of this shape.
bool is_whole(const Region& region, const Index& shape);
/// "3: " or "" for reasons.
std::string line_prefix(const Node& node);

}  // namespace tilelab
