// SPDX-License-Identifier: Apache-2.0
// What the files of lower_tile_ops share: the state of lowering one kernel, the walk of one thread
// over a layout, bounds predicates (made here and nowhere else).
#pragma once

#include <unordered_map>
#include <vector>

#include "core/ir/build.h"
#include "core/ir/thread_range.h"
#include "core/ir/traverse.h"
#include "core/ir/varying.h"
#include "core/passes/facts.h"
#include "core/passes/pass.h"

namespace tilelab {

/// Memory behind a name: a buffer, or a view of one with the layout that follows from it.
struct Storage {
  const Buffer* buffer = nullptr;  // the allocation
  Symbol name;                     // the buffer, or the view where the view stays
  DType dtype = DType::f32;
  std::vector<Expr> shape;
  Layout layout;  // fragments
  Scope scope() const { return buffer->scope; }
};

/// How one thread visits its part of a layout's domain.
struct Walk {
  struct Loop {
    Symbol var;
    int64_t extent;
  };
  std::vector<Expr> index;  // of the element, one per dimension
  std::vector<Loop> loops;  // over register digits, outermost first
  Expr inside;              // the thread takes part and the element exists; null = always
  Expr first_replica;       // this thread is the one of its replicas that stores; null = always
};

class Lowering {
 public:
  Lowering(const Func& func, const Kernel& kernel, PassContext& context);

  Stmt lower(const Stmt& stmt);

  // ---- shared by the operations ---
  Storage storage(Symbol name) const;
  /// Index of the thread within its role.
  Expr tid() const { return name_ref(thread_); }
  Symbol fresh(Symbol base) {
    Symbol name = fresh_name(base, taken_);
    bases_.emplace(name, base);
    return name;
  }
  /// Loops made by lowering get the shortest names that their place allows: `i`, not `i_17`.
  Stmt short_names(const Stmt& body) const;
  Walk walk(const Layout& layout, const std::vector<Symbol>& names);
  Walk all_of(const std::vector<int64_t>& extents);
  /// The walk's loops and predicate around `body`; the innermost loop is marked for `vec`.
  Stmt wrap(const Walk& walk, Stmt body, int64_t vec = 0, LoopMode mode = LoopMode::unroll) const;
  Expr simplified(const Expr& e) const { return simplify_index(e, facts_); }
  /// Register that holds the element of a fragment (in the thread that holds it).
  Expr register_of(const Layout& layout, const std::vector<Expr>& index) const;
  /// Conjunction of what is not proven of 0 <= index < shape; null = all is.
  Expr in_bounds(const std::vector<Expr>& shape, const std::vector<Expr>& index) const;
  /// Value of an element, `index` simplified: registers, guarded global memory, shared memory.
  /// `silent`: an edge of a copy (no guard), else a user's access.
  Expr read(Symbol buffer, const std::vector<Expr>& index, bool silent);
  /// Store of `value` (already of the buffer's dtype).
  Stmt write(Symbol buffer, const std::vector<Expr>& index, Expr value, bool silent,
             const Walk* walk);
  /// A user's expression with its reads lowered.
  Expr lower_expr(const Expr& e);
  Stmt block_barrier() const;
  int64_t lanes() const;
  int64_t block() const { return kernel_.block; }

  const PassContext& context() const { return context_; }
  const Kernel& kernel() const { return kernel_; }

  // ---- the operations, each in its file ---
  Stmt lower_parallel(const Parallel& loop);
  Stmt lower_copy(const Copy& copy);
  Stmt lower_fill(const Fill& fill);
  Stmt lower_atomic(const Atomic& atomic);
  Stmt lower_reduce(const Reduce& reduce);
  Stmt lower_reduce_local(const Reduce& reduce);
  Stmt lower_gemm(const Gemm& gemm);
  struct Accumulator {
    Walk walk;
    LoopMode mode = LoopMode::unroll;
    std::vector<RegionDim> place;  // of the element in its buffer or registers
    Expr row, col;
  };
  Accumulator accumulator(const Region& c);
  /// Copies a fragment operand of a gemm to its workspace.
  Stmt stage_operand(const Expr& operand, Symbol workspace);
  Stmt lower_record(const Record& record);

 private:
  friend class Known;
  Stmt lowered(const Stmt& stmt);
  Stmt lower_children(const Stmt& stmt);
  Stmt lower_branch(const If& branch, bool is_else);
  Stmt lower_store(const Store& s, const Stmt& self);
  Stmt lower_buffer(const Buffer& buffer);
  Stmt once(Stmt stmt, const Node& original) const;
  Expr drop_known(const Expr& condition) const;
  /// Whether what the user assumes says that the condition holds.
  bool assumed(const Expr& condition) const;
  Stmt lower_seq(const Seq& list);
  void assume(const Record& record);
  /// Assumptions about variables that the statement changes end.
  void forget(const Stmt& stmt);
  /// Whether a condition that holds here still holds after any statement: it reads no memory.
  bool stays(const Expr& condition) const;

  PassContext& context_;
  const Kernel& kernel_;
  BufferTable buffers_;
  std::unordered_map<Symbol, const View*> views_;
  std::unordered_map<Symbol, int> taken_;
  std::unordered_map<Symbol, Symbol> bases_;  // of the names made here
  Facts facts_;
  Varying varying_;
  std::unordered_set<Symbol> vars_;
  std::vector<Expr> known_;     // conditions that hold at this place
  std::vector<Expr> assumed_;   // T.assume's, as long as their variables keep their values
  const Walk* walk_ = nullptr;  // inside a T.Parallel
  int divergent_ = 0;           // conditions of single threads around this place
  Symbol thread_{"tid"};
  int64_t threads_;   // of the role
  ThreadRange come_;  // those that come here
};

/// Adds the conjuncts of a condition to what is known, as long as it lives; bounds of the thread's
/// index become facts.
class Known {
 public:
  Known(Lowering& lowering, const Expr& condition);
  ~Known();

 private:
  Lowering& lowering_;
  size_t before_;
  Range thread_;
};

}  // namespace tilelab
