// SPDX-License-Identifier: Apache-2.0
// Writes the decided layouts into a kernel, and inserts the copies that they need.
#pragma once

#include <unordered_map>

#include "core/passes/infer_layouts/problem.h"

namespace tilelab {

/// One side of an inserted copy: a region, and its layout if it is of a fragment.
struct CopySide {
  Expr region;
  Layout layout;  // over the region's box
};

/// Buffers of which a statement reads single elements, in indices and values: if it runs once for
/// the block, or works on a whole box, every thread must hold them.
std::vector<Symbol> element_reads(const Node& stmt);

class LayoutRewriter {
 public:
  /// `taken`: the names of the function, unique across its kernels.
  LayoutRewriter(LayoutProblem& problem, std::unordered_map<Symbol, int>& taken);
  Stmt kernel_body();

 private:
  Stmt rewrite(const Stmt& stmt, const ThreadRange& threads);
  Stmt rewrite_children(const Stmt& stmt, const ThreadRange& threads);
  Stmt declaration(const Buffer& buffer) const;
  Stmt loop(const Stmt& stmt);
  bool fits_asynchronous(const LayoutOp& op, const Copy& copy);
  bool fits_asynchronous(const LayoutOp& op, const Parallel& loop);
  Stmt gemm(const Gemm& gemm, const ThreadRange& threads);
  void stage_factor(Gemm& gemm, MatrixOperand which, const ThreadRange& threads,
                    const Gemm& original, std::vector<Stmt>& before);
  Stmt reduce(const Reduce& reduce, const ThreadRange& threads);
  void plan_steps(Reduce& reduce, const Layout& source, const Index& result,
                  const ThreadRange& threads);
  Stmt read_by_all(Stmt stmt, const std::vector<Symbol>& fragments, const ThreadRange& threads);

  LayoutOp& op_of(const Node& node);
  bool is_loop(const Node& stmt) const;
  Stmt branches(const If& branch, const ThreadRange& threads);
  /// False, with a message, if threads hold the fragment that do not reach the statement.
  bool reaches(Symbol fragment, const Layout& layout, const ThreadRange& threads,
               const Node& cause);
  /// Reports that the threads which reach the operation cannot synchronize.
  void check_can_sync(const ThreadRange& threads, const Node& cause, const std::string& what);
  /// The operation `stmt` of `op` with the conversions that its accesses need.
  Stmt converted(LayoutOp& op, Stmt stmt);
  Stmt check_held_by_all(const LayoutOp& op, const Stmt& stmt);
  bool through_shared(const LayoutOp& op, const BufferAccess& access, bool written, Stmt& stmt,
                      std::vector<Stmt>& before, std::vector<Stmt>& after);
  Stmt convert_copy(const LayoutOp& op, const Copy& copy, const BufferAccess& misfit);
  void report_conversion(const LayoutOp& op, const BufferAccess& access, int64_t bytes);
  void report_conflict(const LayoutOp& op, const BufferAccess& access);

  /// dst <- src by plain copies; through shared memory if no thread holds both.
  void copy_between(const CopySide& src, const CopySide& dst, const ThreadRange& threads,
                    const Node& cause, std::vector<Stmt>& out);
  /// Copies a region of a fragment that no layout describes through a copy of the whole fragment in
  /// shared memory. Returns false, without changes, if layouts describe both regions.
  bool copy_through_whole(const CopySide& src, const CopySide& dst, const ThreadRange& threads,
                          const Node& cause, std::vector<Stmt>& out);
  void move_element(const CopySide& src, const CopySide& dst, const Node& cause,
                    std::vector<Stmt>& out);
  Stmt one_iteration(const Stmt& stmt, const Layout& layout);
  Stmt plain_copy(const Expr& src, const Expr& dst, const Layout& layout, int64_t vec,
                  const Node& cause);
  int64_t copy_width(const Expr& src, const Expr& dst, const Layout& layout) const;
  /// A new buffer, declared at the top of the kernel.
  Expr new_fragment(Symbol like, DType dtype, const Index& shape, const Layout& layout, Span span);
  Expr new_shared(Symbol like, DType dtype, const Index& shape, const std::string& origin);
  CopySide whole_fragment(Symbol name) const;
  Layout box_layout(Symbol name, const Region& region) const;

  LayoutProblem& problem_;
  std::unordered_map<Symbol, int>& taken_;
  std::unordered_map<Symbol, Layout> new_layouts_;
  std::unordered_map<const Node*, size_t> ops_;  // by statement, which is unique in the tree
  std::vector<Stmt> declarations_;
  ThreadRange whole_;  // the enclosing block or role
  int conversions_ = 0, workspaces_ = 0;
};

}  // namespace tilelab
