// SPDX-License-Identifier: Apache-2.0
// Shared by the files of lower_tile_ops: the names and memory of one kernel (Lowering), the facts
// at a point of it (LoweringScope, passed by value), the walk of one thread over a layout, and
// bounds predicates (built only here). Each operation is a function `lower(op, here, lowering)`,
// selected by the operation's type: declare a new one below and define it in a separate file.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/analysis/divergence.h"
#include "core/analysis/ranges.h"
#include "core/ir/build.h"
#include "core/ir/func.h"
#include "core/ir/regions.h"
#include "core/ir/thread_range.h"
#include "core/ir/traverse.h"
#include "core/layout/matrix.h"
#include "core/passes/pass.h"
#include "core/passes/shared/ring_plan.h"

namespace tilelab {

/// Memory that a name refers to: a buffer, or a view of one with the layout that follows from it.
struct Storage {
  const Buffer* buffer = nullptr;  // the allocation
  Symbol name;                     // the buffer, or the view if the view remains
  DType dtype = DType::f32;
  std::vector<Expr> shape;
  Layout layout;  // fragments
  Scope scope() const { return buffer->scope; }
  /// Layout of shared memory for this name; nullopt for layouts without digits.
  std::optional<Layout> addresses() const;
  /// Whether other threads see stores to it.
  bool visible() const { return scope() == Scope::global || scope() == Scope::shared; }
  /// Whether it is distributed over the registers of the threads.
  bool spread() const { return scope() == Scope::fragment; }
};

/// How one thread visits its part of a layout's domain.
struct Walk {
  struct Loop {
    Symbol var;
    int64_t extent;
  };
  std::vector<Expr> index;  // of the element, one per dimension
  std::vector<Loop> loops;  // over register digits, outermost first
  Expr inside;              // the thread is active and the element exists; null = always
  Expr first_replica;       // this thread is the one of its replicas that stores; null = always
};

/// The position of one side of a ring: the slot that it takes next, and the phase to wait for. A
/// side that takes several slots before it gives one back counts the returned slots separately.
struct Cursor {
  Symbol ring;
  bool fills = false;          // acquire and commit; else wait and release
  bool one_at_a_time = false;  // each slot is given back before the next is taken
  Symbol slot, phase, back;    // variables; empty if there is one slot, no phase
  Symbol taken;                // the name that the program gave to the slot taken last
};

/// Registers that keep the last fragments of a matmul for the next iteration of its loop.
struct HeldFragments {
  Symbol a, b;
};
/// Such a loop, not lowered yet, with its prologue and epilogue.
struct PipelinedMatmul {
  Stmt before, loop, after;
};

/// State of the threads of a role (or of a kernel outside of its roles), collected while they are
/// lowered, and declared before them.
struct RoleState {
  RingPlan rings;
  std::set<RingSide> several;  // that hold more than one slot at once
  std::vector<Cursor> cursors;
  std::map<RingSide, size_t> cursor_of;
  std::vector<Stmt> declarations;
  std::map<std::pair<int64_t, int64_t>, Symbol> units;  // first thread, threads -> name
};

/// Facts at one point of a kernel. A nested scope gets a modified copy.
struct LoweringScope {
  RangeAnalysis facts;
  std::vector<Expr> known;     // conditions that hold regardless of stores
  std::vector<Expr> assumed;   // T.assume's, until their variables change
  const Walk* walk = nullptr;  // of the enclosing T.Parallel
  bool divergent = false;      // under a thread-dependent condition
  int64_t threads = 0;         // of the role
  ThreadRange range;           // that reach this point
  bool single = false;         // one thread of the role runs this for all
  bool guards = true;          // element accesses of tensors have bounds predicates
  RoleState* role = nullptr;

  Expr tid() const { return name_ref("tid"); }
  /// Whether all threads of the role reach this point.
  bool all_threads_reach() const { return range == ThreadRange{0, threads}; }
  Expr simplified(const Expr& e) const { return simplify_index(e, facts); }
  /// Register that holds the element of a fragment (in the thread that holds it).
  Expr register_of(const Layout& layout, const std::vector<Expr>& index) const;
  /// Conjunction of the unproven parts of 0 <= index < shape; null if all are proven.
  Expr in_bounds(const std::vector<Expr>& shape, const std::vector<Expr>& index) const;
  /// Assumes the lowered condition of a T.assume.
  void assume(const Expr& condition);
  /// Drops assumptions about variables that the statement changes.
  void forget(const Stmt& stmt);

 private:
  bool assumes(const Expr& condition) const;
};

class Lowering {
 public:
  /// `elsewhere`: names that other kernels of the function have given to buffers.
  Lowering(const Func& func, const Kernel& kernel, PassContext& context,
           const std::unordered_set<Symbol>& elsewhere = {});

  /// The kernel's body as one thread runs it.
  Stmt lower_body();
  Stmt stmt(const Stmt& stmt, const LoweringScope& here);
  /// A statement that is not a tile operation, with its children lowered.
  Stmt children(const Stmt& stmt, const LoweringScope& here);
  /// A user's expression with its reads lowered.
  Expr expr(const Expr& e, const LoweringScope& here) const;

  Storage storage(Symbol name) const;
  bool varies(const Node& stmt) const { return varying_(stmt); }
  Symbol fresh(Symbol base);
  /// The same for a variable: conditions on it are not invariant.
  Symbol fresh_var(Symbol base) { return *vars_.insert(fresh(base)).first; }
  /// The scope in which also `condition` holds (null = nothing new).
  LoweringScope where(const LoweringScope& here, const Expr& condition) const;
  /// This thread's walk over a layout; adds its loop variables, named like `names`, to `here`.
  Walk walk(const Layout& layout, const std::vector<Symbol>& names, LoweringScope& here);
  /// One thread visits every element of a box.
  Walk all_of(const std::vector<int64_t>& extents, LoweringScope& here);
  /// Value of an element, `index` simplified: registers, guarded global memory, shared memory.
  /// `silent`: an edge of a copy (no guard), else a user's access.
  Expr read(Symbol buffer, const std::vector<Expr>& index, bool silent,
            const LoweringScope& here) const;
  /// Store of `value` (already of the buffer's dtype).
  Stmt write(Symbol buffer, const std::vector<Expr>& index, Expr value, bool silent,
             const Walk* walk, const LoweringScope& here) const;
  /// A statement that tile level runs once per agent: one thread runs it if the effect is visible
  /// to others. Under a thread-dependent condition, the threads that satisfy it do.
  Stmt once(Stmt stmt, const Node& original, const LoweringScope& here) const;
  Stmt block_barrier(const LoweringScope& here) const;
  /// Whether this is the first thread of the role, or of its group (of four warps).
  Expr leader(const LoweringScope& here, bool of_group = false) const;

  /// A ring, and its barriers for full and empty slots.
  struct SharedRing {
    const Ring* ring = nullptr;
    Symbol full, empty;
  };
  const SharedRing& ring(Symbol name) const { return rings_.at(name); }
  /// The barrier that an engine's copy into a slot completes.
  Expr full_barrier(Symbol ring, const Expr& slot) const;
  /// The body of a role, or of a kernel: its declarations, its statements, and at its end a wait
  /// for the engine's pending stores.
  Stmt role_body(const Stmt& body, LoweringScope here);
  Stmt initialize_barriers() const;
  Cursor& cursor(const RingOp& op, const LoweringScope& here);
  /// Index, by name, of the role's unit of `threads` threads that contains this thread: uniform in
  /// a warp. `base`: the first thread of the first unit.
  Expr unit(int64_t threads, int64_t base, LoweringScope& here);
  /// The role of that name, or null.
  const Role* role(Symbol name) const { return found(roles_by_name_, name); }
  /// Whether a role only feeds engines, so that its first thread runs alone.
  bool one_thread(const Role& role);
  /// Whether each group of the role synchronizes separately on the slots of a ring of stores.
  bool by_groups(const Ring& ring, const LoweringScope& here) const;
  const TensorMap* map(Symbol name) const { return found(maps_, name); }
  /// A matmul whose last step runs in the next iteration of its loop.
  void hold(const Gemm& gemm, HeldFragments names) { held_.emplace(&gemm, names); }
  std::optional<HeldFragments> held(const Gemm& gemm) const {
    auto it = held_.find(&gemm);
    return it == held_.end() ? std::nullopt : std::optional(it->second);
  }
  /// The copies by threads that fill a buffer's elements; null among them: some other statement.
  std::vector<const Copy*> writers(Symbol buffer);
  /// Whether threads store to that shared buffer.
  bool filled_by_threads(Symbol buffer);
  /// Whether barriers of the block have a fence of the threads' stores before them.
  bool fences_at_barriers();
  /// Whether threads store to slots that a copy engine fills.
  bool changes_slots();
  /// Reports an unsupported operation; the pass then returns its input.
  Stmt refuse(const Node& node, const std::string& what) const;
  Diagnostics& diagnostics() const { return context_.diagnostics; }
  std::vector<std::string>& reasons() const { return context_.reasons; }

  int64_t lanes() const;
  int64_t group_threads() const { return 4 * lanes(); }  // threads of four warps
  const Target& target() const { return context_.target; }
  const Func& func() const { return func_; }
  int64_t block() const { return kernel_.block; }
  const Kernel& kernel() const { return kernel_; }
  /// Whether a condition that holds here still holds after any statement: it reads no memory.
  bool is_invariant_condition(const Expr& condition) const;

 private:
  template <class T>
  static const T* found(const std::unordered_map<Symbol, const T*>& table, Symbol name) {
    auto it = table.find(name);
    return it == table.end() ? nullptr : it->second;
  }
  /// The writers of each buffer in the kernel, computed lazily.
  struct Writers {
    std::unordered_map<Symbol, std::vector<const Copy*>> of;  // by the name in the copy
    std::unordered_set<Symbol> by_threads;                    // buffers
  };
  const Writers& all_writers();
  std::optional<bool> fences_at_barriers_;
  /// `e` with its reads lowered; the whole is simplified once, later.
  Expr with_reads(const Expr& e, const LoweringScope& here) const;
  /// Generated loops get the shortest name that is free in their scope: `i`, not `i_17`.
  Stmt short_names(const Stmt& body) const;

  PassContext& context_;
  const Func& func_;
  const Kernel& kernel_;
  BufferTable buffers_;
  BufferViews views_;
  std::unordered_map<Symbol, int> taken_;     // filled on first use
  std::unordered_map<Symbol, Symbol> bases_;  // of the generated names
  DivergenceAnalysis varying_;
  const std::vector<Symbol> elsewhere_;
  std::unordered_set<Symbol> vars_;
  std::unordered_map<Symbol, SharedRing> rings_;
  RingTable ring_table_;
  std::unordered_map<Symbol, const Role*> roles_by_name_;
  std::unordered_map<Symbol, const TensorMap*> maps_;
  std::unordered_map<const Role*, bool> one_thread_;
  std::optional<Writers> writers_;
  std::deque<RoleState> roles_;
  std::unordered_map<const Gemm*, HeldFragments> held_;
};

/// The walk's loops and predicate around `body`; the innermost loop is marked for `vec`.
Stmt wrap(const Walk& walk, Stmt body, int64_t vec = 0, LoopMode mode = LoopMode::unroll);
/// A body spliced into the enclosing statements, which may bind its names, too: of a branch that is
/// always taken, of a loop of one iteration.
Stmt joined(const Stmt& body, Lowering& lowering);
/// The condition of an access that the user wrote: %check reports a note if it is false.
Expr guard(const Expr& condition);
/// Points of a region, one per index.

/// Element of the region at `position` in its box, as this thread computes it.
std::vector<Expr> element_of(const Region& region, const std::vector<Expr>& position,
                             const LoweringScope& here, const Lowering& lowering);

// ---- statements, in lower_tile_ops.cpp
Stmt lower(const Buffer& buffer, const LoweringScope& here, Lowering& lowering);
Stmt lower(const View& view, const LoweringScope& here, Lowering& lowering);
Stmt lower(const Seq& list, LoweringScope here, Lowering& lowering);
Stmt lower(const For& loop, LoweringScope here, Lowering& lowering);
Stmt lower(const TileLoop& loop, LoweringScope here, Lowering& lowering);
Stmt lower(const If& branch, const LoweringScope& here, Lowering& lowering);
Stmt lower(const Store& store, const LoweringScope& here, Lowering& lowering);
/// The kernel's explicit barriers, with arrivals in the target's unit (barriers.cpp).
Stmt lower_barriers(const Buffer& barriers, Lowering& lowering);

// ---- rings and roles, in rings.cpp
Stmt lower(const Ring& ring, const LoweringScope& here, Lowering& lowering);
Stmt lower(const RingOp& op, LoweringScope here, Lowering& lowering);
Stmt lower(const Role& role, LoweringScope here, Lowering& lowering);
/// The reason why a ring cannot be lowered; "" if it can.
std::string not_lowered(const Ring& ring, const Target& target);
/// Merges consecutive statements of one leader under one condition.
Stmt join_leaders(const Stmt& body);
/// Removes the first of two barriers of the same threads with only fences between them.
Stmt merge_barriers(const Stmt& body);
/// The proxy fence before the products of a tile, whose barrier follows.
Stmt fence_of_product();
/// Removes such a fence and its barrier where no thread has written to an operand of a matrix
/// instruction since an equal pair; and a fence before products whose operands only asynchronous
/// copies fill (fences.cpp). Other fences and barriers stay: what they order is not known here.
Stmt drop_needless_fences(const Stmt& body);
// ---- asynchronous copies, in tensor_copies.cpp and async_copies.cpp
Stmt lower_by_engine(const Copy& copy, LoweringScope here, Lowering& lowering);
Stmt lower_async(const Copy& copy, LoweringScope here, Lowering& lowering);
/// A loop that gathers into a slot, as such copies; null for other loops. `values`: of its
/// variables.
Stmt lower_gather(const Parallel& loop, const Substitution& values, Walk walk,
                  const LoweringScope& here, Lowering& lowering);
/// T.ptx_cp_async and its waits, in element_copies.cpp; other calls with their reads lowered.
Stmt lower(const Do& call, const LoweringScope& here, Lowering& lowering);
// ---- T.ptx_ldmatrix and T.ptx_mma, in warp_matrices.cpp
Stmt lower_matrices(const Do& statement, const Call& call, const LoweringScope& here,
                    Lowering& lowering);
// ---- atomic accesses to elements, guarded, in element_atomics.cpp
Stmt lower_atomic(const Do& call, const LoweringScope& here, Lowering& lowering);
Stmt lower(const Let& let, const LoweringScope& here, Lowering& lowering);
Stmt lower(const Assign& assign, const LoweringScope& here, Lowering& lowering);
// ---- addresses that foreign functions get, in foreign.cpp
/// Reports an address of several elements that are not adjacent in shared memory.
void check_addresses(const StmtNode& stmt, const LoweringScope& here, Lowering& lowering);
// ---- copies of a fragment by stmatrix, in stmatrix.cpp
/// Null if the copy, its layout or its shared memory address is unsuitable.
Stmt lower_by_stmatrix(const Copy& copy, LoweringScope here, Lowering& lowering);
/// Whether so many bytes of a row of shared memory, starting at `last` in its last dimension, are
/// contiguous and aligned. 16: a row of ldmatrix and stmatrix.
bool is_contiguous(int64_t bytes, const Storage& memory, const Expr& last,
                   const LoweringScope& here);
// ---- operations, in elementwise.cpp
Stmt lower(const Parallel& loop, LoweringScope here, Lowering& lowering);
Stmt lower(const Copy& copy, LoweringScope here, Lowering& lowering);
Stmt lower(const Fill& fill, LoweringScope here, Lowering& lowering);
Stmt lower(const ClusterCopy& copy, LoweringScope here, Lowering& lowering);
Stmt lower(const Atomic& atomic, LoweringScope here, Lowering& lowering);
Stmt lower(const Record& record, LoweringScope here, Lowering& lowering);
// in sort.cpp
Stmt lower(const Sort& sort, const LoweringScope& here, Lowering& lowering);
// ---- and in reduce.cpp, gemm.cpp
Stmt lower(const Reduce& reduce, LoweringScope here, Lowering& lowering);
Stmt lower(const Gemm& gemm, LoweringScope here, Lowering& lowering);
// ---- in matrix.cpp and mma.cpp
Stmt lower_by_matrix(const Gemm& gemm, const MatrixInstruction& row, const LoweringScope& here,
                     Lowering& lowering);
/// The reason why the instructions cannot use the operands; "" if they can.
std::string unfit_operands(const Gemm& gemm, const MatrixInstruction& row,
                           const Lowering& lowering);
/// Delays the last step of a loop's matmul to the next iteration, if legal and profitable.
std::optional<PipelinedMatmul> pipeline_matmul(const For& loop, const LoweringScope& here,
                                               Lowering& lowering);
/// The reason why a matmul cannot be lowered with a row of the target; "" if it can.
std::string not_lowered_by(const Gemm& gemm, const MatrixInstruction& row);

// Shared memory that all threads fill, and a matrix unit of some of them reads:
//   for i, j in parallel(64, 64): b[i, j] = B[i, j] * 2
//   block_sync()
//   if tid < 128: gemm(b, a, c, by="wgmma")

/// Whether the kernel has such memory. Threads fence their stores where they issue the operation;
/// the others need a fence at the barrier in between.
bool has_partial_readers(const Kernel& kernel, const BufferViews& views);

}  // namespace tilelab
