// SPDX-License-Identifier: Apache-2.0
// Tile-level IR -> TileImage. One compiler object per lane program: that of an agent, or (with a
// parent) of a T.Parallel inside it.
#pragma once

#include <set>
#include <unordered_map>

#include "core/analysis/access.h"
#include "core/analysis/effects.h"
#include "core/ir/stmt.h"
#include "core/sim/program/compile.h"
#include "core/sim/tile/image.h"
#include "core/support/function_ref.h"

namespace tilelab::sim {

/// Possible values of each name of a kernel: all that it is bound to or assigned.
using Definitions = std::unordered_map<Symbol, std::vector<Expr>>;

class TileCompiler : public BodyCompiler {
 public:
  Span span() const { return b.span(); }  // of the statement
  /// An agent of a kernel: threads [lo, hi) of the block.
  TileCompiler(const Launch& launch, TileImage& image, int lanes, int64_t lo, int64_t hi,
               const Definitions* definitions, const StatementTexts* texts);
  /// The body of a T.Parallel.
  TileCompiler(TileCompiler& parent, int lanes, const std::vector<Symbol>& variables);

  TileAgent agent(const Stmt& body, Symbol role);
  Program finish() { return b.finish(); }

  // ---- interface for operations (ops/, op_compile.cpp)
  using BodyCompiler::bind;
  using BodyCompiler::cannot;
  using BodyCompiler::cast;
  using BodyCompiler::constant;
  using BodyCompiler::expr;
  TileImage& image() { return image_; }
  const TileMemory& memory(const TileBox& box) const { return image_.memories[size_t(box.memory)]; }
  /// A region of the operation, with its effects.
  TileBox box(const Expr& region, CallSite& site);
  int32_t operand(CallSite& site, const Value& v);
  /// The integer result of the call, uniform over lanes.
  Value result(CallSite& site);
  /// -1: not declared before here.
  int32_t ring_of(Symbol name) const;
  /// Null: not declared before here.
  TileBarrierArray* barriers_of(Symbol name);
  int64_t threads() const { return hi_ - lo_; }
  const Kernel& kernel() const { return launch_.kernel; }
  int64_t kernel_threads() const { return kernel().block; }
  /// Whether each thread runs the statement, with the same effect.
  bool same_in_threads(const Node& stmt) const;
  /// Whether the region's memory is private to each thread.
  bool private_to_lanes(const Region& region) const;
  /// Stores to every element of the region separately.
  void store_each(const Region& region, const Value& v, const Node& node);
  /// Copies between regions element by element, as each thread does with private memory.
  void copy_each(const Node& copy, const Region& to, const Region& from);
  void emit(std::unique_ptr<TileOp> op, CallSite site);

 protected:
  Value load(const Load& node) override;
  Value region(const Region& node) override;
  void store(const Store& node) override;
  Value call(const Call& node, bool result) override;
  Value name(const Name& node) override;
  void other(const Stmt& node) override;
  bool safe_read(const Load& node) override;

 private:
  // tile/access.cpp
  /// Affine in the variables of the domain, if the other terms are uniform over iterations.
  std::optional<AffineIndex> affine(const Expr& e) const;
  bool varies(const Expr& e) const;
  bool hoistable(const Expr& e) const;
  Value uniform_part(const AffineIndex& index, Elem elem);
  TileIndex index(const Expr& e, CallSite& site);
  int32_t address(const TileMemory& memory, CallSite& site);
  int32_t access(Symbol buffer, const std::vector<Expr>& index, CallSite& site, const Node& node);
  void plan_runs(TileAccess& access) const;
  std::optional<int32_t> access_known(const Node& node) const;
  void loads_of(const Expr& e, std::set<Symbol>& seen, std::vector<int32_t>& loads) const;
  void uses_of(const std::vector<Expr>& index, const Expr& value);
  bool proven_inside(const Load& node) const;
  Value atomic(const Call& node, bool result);

  // tile/compile.cpp
  void declare(const Buffer& buffer);
  void declare_tensor(const Buffer& buffer, TileMemory memory);
  void declare(const View& view);
  void declare(const Ring& ring);
  void declare_barriers(const Buffer& buffer);
  int32_t memory_of(Symbol name, const Node& node) const;
  std::vector<int64_t> numbers(const std::vector<Expr>& es, const Node& node);
  int64_t number(const Expr& e, const Node& node);
  void parallel(const Parallel& node);
  void enter_body(const Stmt& body);
  void tile_loop(const TileLoop& node);
  Value capture(Symbol name, const Value& outer);
  void carry(Symbol name);
  void own_memory(const Stmt& body);
  void allocate(TileMemory& m, const Node& node);
  void emit_call(CallSite site);
  void note(int32_t memory, const Effect& effect);
  void note(TileAccess& access, const Effect& effect);

  const Launch& launch_;
  std::vector<Effect> effects_;                         // of the operation that is being compiled
  const Definitions* definitions_ = nullptr;            // null: no notes requested
  std::unordered_map<const Node*, int32_t> access_of_;  // the latest of a Load
  std::vector<Stmt> written_out_;  // operations as loops, to which access_of_ refers
  TileImage& image_;
  TileCompiler* parent_ = nullptr;
  std::vector<Symbol> variables_;  // of the domain (T.Parallel)
  std::vector<int64_t> extents_;   // -1 where they are not constant
  int split_ = 0;
  int64_t lo_ = 0, hi_ = 0;
  int lanes_ = 1;
  bool each_lane_ = false;          // the operation has a box of memory of single threads
  TileParallel* target_ = nullptr;  // the parallel being compiled
  CallSite* parallel_site_ = nullptr;
  std::unordered_map<Symbol, int32_t> memories_;
  std::vector<Symbol> captured_;             // inputs from the parent, in capture order
  std::unordered_map<Symbol, Expr> lets_;    // bound inside a T.Parallel
  std::unordered_map<Symbol, bool> inside_;  // names bound inside it: true = not uniform
};

// Iterations of a T.Parallel that share elements of fragments.

/// Whether several iterations update the same element: `r[j % 32] = max(r[j % 32], ...)`. The
/// thread that holds it executes them in order, and so does the simulator. Checks fragments with
/// indices from the loop's variables and names, in loops of up to 65536 iterations.
bool iterations_share_elements(const Parallel& loop, FunctionRef<bool(Symbol)> is_fragment);

}  // namespace tilelab::sim
