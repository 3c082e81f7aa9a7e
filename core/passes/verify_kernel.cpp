// SPDX-License-Identifier: Apache-2.0
// verify_kernel: diagnoses invalid kernels in the user's terms, at the user's line. It changes
// nothing. Rules (each a row of diagnostics.def):
//   parallel-*            which statements T.Parallel may contain, how its variables may index, and
//                         whose value a variable holds (private_values.cpp)
//   divergent-tile-op     tile operations are reached by all threads, or by a range of them
//   divergent-barrier     barriers of the block are reached by all threads
//   fragment-thread-index a thread does not select elements of a fragment
//   gemm-accumulator      where T.gemm can accumulate
//   index-out-of-range    an index that is always out of bounds, or in iterations that surely run
//                         (loop_bounds.cpp)
//   block-too-large, grid-limit  the target's limits of threads and blocks
//   thread-value, private-*  what single threads compute and hold (thread_values.cpp)
#include <algorithm>
#include <utility>

#include "core/analysis/divergence.h"
#include "core/analysis/ranges.h"
#include "core/analysis/statements.h"
#include "core/diagnostics/usage.h"
#include "core/ir/build.h"
#include "core/ir/regions.h"
#include "core/ir/thread_range.h"
#include "core/ir/traverse.h"
#include "core/lint/lints.h"
#include "core/passes/pass.h"
#include "core/passes/schedule_pipelines/loop_order.h"
#include "core/support/text.h"
#include "core/targets/target.h"

namespace tilelab {
namespace {

constexpr int64_t kMaxIterations = int64_t{1} << 28;  // of a T.Parallel

/// Whether the current statement or expression is executed.
enum class Reach { always, maybe, never };

class KernelVerifier {
 public:
  KernelVerifier(const Func& func, const Kernel& kernel, PassContext& context)
      : kernel_(kernel),
        context_(context),
        buffers_(buffers_of(func)),
        views_(views_of(*kernel.body)),
        varying_(kernel),
        facts_(RangeAnalysis::of(func)),
        threads_{0, kernel.block} {
    facts_.enter(kernel, context.target.lanes);
  }

  void run() {
    if (kernel_.block > context_.target.max_threads)
      sink()
          .report(Diag::block_too_large, kernel_.span, kernel_.block, context_.target.name,
                  context_.target.max_threads)
          .help(context_.target.max_threads == 1
                    ? "write T.Parallel and tile operations instead of T.get_thread_binding(), or "
                      "compile for a GPU and use the simulator"
                    : "launch at most " + std::to_string(context_.target.max_threads) + " threads");
    grid();
    launch_bounds();
    verify_clusters(kernel_, context_.target, sink());
    visit(kernel_.body);
    verify_parallel_values(kernel_, sink());
    verify_thread_values(kernel_, buffers_, sink());
  }

 private:
  Diagnostics& sink() { return context_.diagnostics; }

  void grid() {
    for (size_t axis = 1; axis < kernel_.grid.size(); ++axis)
      if (const auto blocks = int_value(kernel_.grid[axis]);
          blocks && *blocks > context_.target.max_grid_yz)
        sink()
            .report(Diag::grid_limit, kernel_.span, *blocks, axis == 1 ? "y" : "z",
                    context_.target.name, context_.target.max_grid_yz)
            .help("make it the first extent of T.Kernel, or process several tiles in each block");
  }

  /// NVIDIA's assembler ignores a number of blocks that a multiprocessor cannot hold.
  void launch_bounds() {
    const Attr* least = find_attr(kernel_.attrs, "min_blocks");
    const int64_t limit = context_.target.resident_threads;
    if (!least || limit == 0 || least->integer * kernel_.block <= limit) return;
    const std::string blocks = std::to_string(least->integer);
    no_effect(
        kernel_.span, "T.annotate_min_blocks_per_sm(" + blocks + ")",
        "a multiprocessor holds " + plural(limit, "thread") + ", fewer than " + blocks + " blocks");
  }

  void no_effect(Span span, const std::string& what, const std::string& why) {
    sink()
        .report(usage::option_no_effect, span, what)
        .note(why + " on " + std::string(context_.target.name));
  }

  const Buffer* buffer(Symbol name) const {
    auto it = buffers_.find(name);
    return it == buffers_.end() ? nullptr : it->second;
  }

  void visit(const Stmt& stmt) {
    std::string tile = name_in_source(*stmt);
    if (!tile.empty()) tile_operation(stmt, tile);
    if (const Gemm* gemm = as<Gemm>(stmt)) accumulator(*gemm, stmt->span);
    if (const Do* call = as<Do>(stmt)) barrier(to<Call>(call->call), stmt->span);
    if (const Buffer* made = as<Buffer>(stmt); made && parallel_) allocation(*made);
    if (const Role* role = as<Role>(stmt); role && role->regs && !context_.target.register_handover)
      no_effect(stmt->span, "the register budget of this role", "registers cannot be reallocated");
    for_each_expr(*stmt, [&](const Expr& e) { accesses(e, stmt->span); });
    if (const Store* s = as<Store>(stmt)) {
      const std::vector<Expr> index = lows(s->dims);
      access(s->buffer, index, stmt->span);
      same_element(*s, stmt->span);
    }
    if (const Parallel* loop = as<Parallel>(stmt)) return parallel(*loop);
    if (const For* loop = as<For>(stmt)) {
      if (loop->stages > 0 && parallel_)
        sink()
            .report(Diag::parallel_pipelined, stmt->span)
            .help("put the T.Parallel inside the T.Pipelined loop");
      if (has_order(*loop)) verify_order(*loop, views_, sink());
      facts_.enter(*loop);
      overwritten(*loop);
    }
    if (const Let* let = as<Let>(stmt)) {
      if (is_integer(let->value->type.dtype)) facts_.bind(*let);
      if (parallel_) local_names_.insert(let->name);
      if (parallel_ && !is_float(let->value->type.dtype)) unfold(*let);
    }
    if (const Var* var = as<Var>(stmt); var && parallel_) local_names_.insert(var->name);
    bool diverges = (as<If>(stmt) || as<While>(stmt) || as<For>(stmt)) && varying_(*stmt);
    if (const If* branch = as<If>(stmt)) return branches(*branch, diverges);
    Span outer = divergence_;
    if (diverges) divergence_ = stmt->span, divergent_++;
    const Reach before = std::exchange(reach_, std::max(reach_, body_reach(stmt)));
    for_each_stmt(*stmt, [&](const Stmt& s) { visit(s); });
    reach_ = before;
    if (diverges) divergence_ = outer, divergent_--;
  }

  /// Diagnoses reductions that restart in each iteration of a loop which never reads their results.
  void overwritten(const For& loop) {
    std::vector<const Reduce*> restarting;
    std::unordered_map<Symbol, int> uses;  // except for reductions and fills, which write it
    auto written = [&](const Expr& dst) { return views_.base_of(to<Region>(dst).buffer); };
    for_each(
        *loop.body,
        [&](const Reduce& r) {
          if (!r.clear) return;
          restarting.push_back(&r);
          --uses[written(r.dst)];
        },
        [&](const Fill& f) { --uses[written(f.dst)]; },
        [&](const Load& l) { ++uses[views_.base_of(l.buffer)]; },
        [&](const Region& r) { ++uses[views_.base_of(r.buffer)]; },
        [&](const Buffer& b) { ++uses[b.name]; });
    const bool once = loop.steps.empty() && int_value(sub(loop.hi, loop.lo)) == 1;
    for (const Reduce* r : restarting) {
      const Symbol dst = to<Region>(r->dst).buffer;
      if (once || uses[written(r->dst)] > 0 || !warned_.insert(r).second) continue;
      sink()
          .report(Diag::reduce_overwritten, r->span, dst)
          .label(loop.span, "in this loop")
          .help("to accumulate, use clear=False, and T.clear(" + dst.str() + ") before the loop");
    }
  }

  /// Whether the body of a loop runs.
  Reach body_reach(const Stmt& stmt) const {
    if (as<While>(stmt)) return Reach::maybe;
    const For* loop = as<For>(stmt);
    if (!loop || !loop->steps.empty()) return Reach::always;
    const bool up = facts_.range(loop->step).lo > 0;
    return reach_if(up ? lt(loop->lo, loop->hi) : lt(loop->hi, loop->lo)) == Reach::never
               ? Reach::never
               : Reach::always;
  }

  Reach reach_if(const Expr& condition, bool holds = true) const {
    auto known = facts_.decide(condition);
    return !known ? Reach::maybe : *known == holds ? Reach::always : Reach::never;
  }

  /// The branches of a condition. In a divergent region, a branch that a range of the threads takes
  /// may contain tile operations, which that range executes.
  void branches(const If& branch, bool diverges) {
    const Span outer = divergence_;
    const ThreadRange all = threads_;
    const bool outer_both = both_synchronize_;
    both_synchronize_ |= has_barrier(branch.then_) && has_barrier(branch.else_);
    for (bool is_else : {false, true}) {
      const Stmt& body = is_else ? branch.else_ : branch.then_;
      if (!body) continue;
      auto range = diverges ? threads_of(branch, is_else, all) : all;
      if (diverges) divergence_ = branch.span;
      divergent_ += !range;
      threads_ = range.value_or(all);
      const Reach before = reach_;
      reach_ = std::max(reach_, reach_if(branch.cond, !is_else));
      const size_t pins = equations_.size();
      if (parallel_) record_equations(branch.cond, is_else);
      visit(body);
      equations_.resize(pins);
      reach_ = before;
      divergent_ -= !range;
    }
    divergence_ = outer, threads_ = all, both_synchronize_ = outer_both;
  }

  /// Records the equations implied by a condition that holds (or, with `negated`, does not hold).
  void record_equations(const Expr& condition, bool negated) {
    const Bin* bin = as<Bin>(condition);
    if (!bin) return;
    if (bin->op == (negated ? BinOp::lor : BinOp::land))
      return record_equations(bin->a, negated), record_equations(bin->b, negated);
    if (bin->op == (negated ? BinOp::ne : BinOp::eq) && !is_float(bin->a->type.dtype))
      equations_.push_back(sub(unfolded(bin->a), unfolded(bin->b)));
  }

  /// The expression with the lets of this T.Parallel substituted.
  Expr unfolded(const Expr& e) const { return substitute(e, local_values_); }

  /// A let that grows too large stays a name: each may use others twice.
  void unfold(const Let& let) {
    Expr value = unfolded(let.value);
    if (is_smaller(*value, kMaxLetSize)) local_values_.emplace(let.name, std::move(value));
  }

  void tile_operation(const Stmt& stmt, const std::string& tile) {
    if (parallel_)
      sink()
          .report(Diag::parallel_tile_op, stmt->span, tile)
          .label(parallel_->span, "in this T.Parallel")
          .help("move " + tile + " out of the loop" +
                (as<Copy>(stmt) || as<Fill>(stmt) ? ", or write its elements there" : ""));
    else if (divergent_)
      divergent(stmt->span, tile);
  }

  void divergent(Span span, const std::string& tile) {
    sink()
        .report(Diag::divergent_tile_op, span, tile)
        .label(divergence_, "this condition depends on the thread, but is not a range of threads")
        .help(
            "let all threads reach it, or a range like `tx < 128`; put a condition on elements "
            "inside a T.Parallel");
  }

  /// If the other branch has a barrier, too, all threads reach one.
  void barrier(const Call& call, Span span) {
    const bool all = !divergent_ && threads_.lo == 0 && threads_.hi == kernel_.block;
    if (!joins_block(call.intrinsic) || all || reach_ == Reach::never || both_synchronize_) return;
    sink()
        .report(usage::divergent_barrier, span)
        .label(divergence_, "only some threads pass this condition")
        .help("move it out of the condition, so that all threads reach it");
  }

  static bool has_barrier(const Stmt& stmt) {
    return stmt && calls(*stmt, {Intrinsic::block_sync});
  }

  /// An iteration cannot allocate memory that belongs to the block.
  void allocation(const Buffer& made) {
    if (made.scope != Scope::fragment && made.scope != Scope::shared) return;
    std::string what = made.scope == Scope::fragment ? "T.alloc_fragment" : "T.alloc_shared";
    sink()
        .report(Diag::parallel_tile_op, made.span, what)
        .label(parallel_->span, "in this T.Parallel")
        .help(
            "allocate it before the loop; for memory of one iteration use T.alloc_local or "
            "T.alloc_var");
  }

  /// Checks where T.gemm can accumulate.
  void accumulator(const Gemm& gemm, Span span) {
    auto scope = [&](const Expr& operand) { return scope_of(to<Region>(operand).buffer); };
    Symbol c = to<Region>(gemm.c).buffer;
    if (gemm.c->type.dtype == DType::bool_) {
      sink()
          .report(Diag::gemm_accumulator, span, c, "a buffer of bool")
          .help("allocate it with a numeric dtype");
      return;
    }
    Scope held = scope(gemm.c);
    bool fragments = scope(gemm.a) == Scope::fragment || scope(gemm.b) == Scope::fragment;
    if (held == Scope::fragment || (held == Scope::local && !fragments)) return;
    std::string what = held == Scope::local    ? "memory of one thread, but its operands are not"
                       : held == Scope::shared ? "shared memory"
                                               : "global memory";
    sink()
        .report(Diag::gemm_accumulator, span, c, what)
        .help("allocate it with T.alloc_fragment, and T.copy the result");
  }

  Scope scope_of(Symbol name) const {
    const Buffer* b = buffer(views_.base_of(name));
    return b ? b->scope : Scope::global;
  }

  void parallel(const Parallel& loop) {
    if (parallel_) {
      sink()
          .report(Diag::parallel_nested, loop.span)
          .label(parallel_->span, "the outer T.Parallel")
          .help("write one T.Parallel over all extents, or make the inner loop T.serial");
      return;
    }
    if (divergent_) divergent(loop.span, "T.Parallel");
    iterations(loop);
    facts_.enter(loop);
    parallel_ = &loop;
    visit(loop.body);
    parallel_ = nullptr;
    local_values_.clear();
  }

  void iterations(const Parallel& loop) {
    int64_t count = 1;
    for (const Expr& extent : loop.extents)
      count *= std::clamp<int64_t>(int_value(extent).value_or(1), 0, kMaxIterations + 1),
          count = std::min(count, kMaxIterations + 1);
    if (count <= kMaxIterations) return;
    sink()
        .report(Diag::parallel_size, loop.span, kMaxIterations)
        .help("use more blocks, or a T.serial loop over T.Parallel loops of a tile");
  }

  // ---- accesses

  void accesses(const Expr& expr, Span span) {
    const Span at = expr->span.known() ? expr->span : span;
    if (const Load* l = as<Load>(expr)) access(l->buffer, l->index, at);
    if (const Region* r = as<Region>(expr)) box(*r, at);
    const Reach before = reach_;
    int operand = 0;
    for_each_expr(*expr, [&](const Expr& child) {
      reach_ = std::max(before, operand_reach(*expr, operand++));
      accesses(child, at);
    });
    reach_ = before;
  }

  /// Whether operand `i` is evaluated when the expression is.
  Reach operand_reach(const Node& expr, int i) const {
    if (i == 0) return Reach::always;
    if (const Select* s = as<Select>(&expr)) return reach_if(s->cond, i == 1);
    const Bin* bin = as<Bin>(&expr);
    if (bin && is_logical(bin->op)) return reach_if(bin->a, bin->op == BinOp::land);
    return Reach::always;
  }

  void access(Symbol name, const std::vector<Expr>& index, Span span) {
    const Buffer* b = buffer(name);
    if (!b) return;
    for (size_t d = 0; d < index.size() && d < b->shape.size(); ++d) {
      parallel_index(*b, index[d], span);
      if (b->scope != Scope::global && b->scope != Scope::barrier)
        range({name, b->shape, b->span}, index[d], d, span);
      if (b->scope == Scope::fragment && !parallel_ && varying_(index[d])) {
        sink()
            .report(Diag::fragment_thread_index, span, name)
            .help("use T.Parallel over the fragment, or T.alloc_local");
        return;
      }
    }
  }

  /// Checks the box of block memory that a tile operation accesses.
  void box(const Region& region, Span span) {
    const Buffer* b = buffer(views_.base_of(region.buffer));
    if (!b || b->scope == Scope::global || b->scope == Scope::barrier) return;
    auto view = views_.find(region.buffer);
    const Extents of{region.buffer, view == views_.end() ? b->shape : view->second->shape, b->span};
    for (size_t d = 0; d < region.dims.size() && d < of.shape.size(); ++d)
      range(of, region.dims[d].lo, d, span, region.dims[d].extent);
  }

  void parallel_index(const Buffer& b, const Expr& index, Span span) {
    if (!parallel_) return;
    for (size_t v = 0; v < parallel_->vars.size(); ++v) {
      Symbol var = parallel_->vars[v];
      if (!mentions(index, var)) continue;
      if (b.scope == Scope::local)
        sink()
            .report(Diag::parallel_local_index, span, b.name, var)
            .label(b.span, "allocated here")
            .help("allocate it with T.alloc_fragment");
      if (b.scope == Scope::fragment && !int_value(parallel_->extents[v]))
        sink()
            .report(Diag::parallel_symbolic_extent, span, var, b.name)
            .label(parallel_->span, "the extent is a run-time value")
            .help("loop over the fragment's extent and test the bound with `if`");
    }
  }

  struct Extents {
    Symbol name;
    const std::vector<Expr>& shape;
    Span made;
  };

  /// Checks `width` elements starting at `index`.
  void range(const Extents& of, const Expr& index, size_t dim, Span span, int64_t width = 1) {
    auto extent = int_value(of.shape[dim]);
    if (!extent) return;
    Range r = facts_.range(linear_of(index));
    if ((r.lo <= *extent - width && r.hi >= 0) || reach_ == Reach::never) return;
    const int64_t last = r.hi < 0 || width == 1 ? r.lo : std::min(r.lo, *extent) + width - 1;
    std::string seen = r.lo == r.hi ? std::to_string(last)
                       : r.hi < 0   ? "below 0"
                                    : std::to_string(last) + " or more";
    const bool certain = reach_ != Reach::maybe;
    sink()
        .report(Diag::out_of_bounds, span, "index " + seen + " of `" + of.name.str() + "`",
                certain ? "" : " where this line runs",
                "dimension " + std::to_string(dim) + " has " + plural(*extent, "element"))
        .as_error(certain)
        .label(of.made, "allocated here")
        .help("valid indices are 0 to " + std::to_string(*extent - 1));
  }

  /// Diagnoses a store whose index omits a loop variable that no enclosing condition fixes, if the
  /// value may differ along that variable. Iterations that store equal values are harmless.
  void same_element(const Store& s, Span span) {
    const Buffer* b = buffer(s.buffer);
    if (!parallel_ || !b || b->scope == Scope::local) return;
    std::vector<Symbol> open;
    for (size_t v = 0; v < parallel_->vars.size(); ++v) {
      Symbol var = parallel_->vars[v];
      bool used = is_int(parallel_->extents[v], 1);
      for (const RegionDim& d : s.dims) used = used || depends(d.lo, var);
      if (!used) open.push_back(var);
    }
    remove_fixed(open);
    std::erase_if(open, [&](Symbol var) { return !depends(s.value, var); });
    if (open.empty()) return;
    sink()
        .report(Diag::parallel_same_element, span, s.buffer)
        .label(parallel_->span, "`" + open[0].str() + "` does not occur in the index")
        .help(std::string(b->scope == Scope::fragment ? "use T.reduce_sum and the like"
                                                      : "use T.reduce_* or T.atomic_add") +
              ", or make the loop over `" + open[0].str() + "` serial");
  }

  /// Removes the variables that equations fix, each when it is the last unknown of one.
  void remove_fixed(std::vector<Symbol>& open) const {
    for (size_t before = open.size() + 1; open.size() < before;) {
      before = open.size();
      for (const Expr& zero : equations_) {
        const Linear sum = linear_of(zero);
        auto unknown = [&](Symbol var) { return mentions(zero, var); };
        if (std::count_if(open.begin(), open.end(), unknown) != 1) continue;
        auto last = std::find_if(open.begin(), open.end(), unknown);
        if (sum.coefficient(*last) != 0 && !sum.nested(*last)) open.erase(last);
      }
    }
  }

  /// Whether an index or a value depends on a loop variable, also through lets, memory or vars.
  bool depends(const Expr& expr, Symbol var) const {
    return any_of(
        *expr, [](const Load&) { return true; },
        [&](const Name& n) { return n.id == var || local_names_.count(n.id); });
  }

  const Kernel& kernel_;
  PassContext& context_;
  BufferTable buffers_;
  BufferViews views_;
  DivergenceAnalysis varying_;
  RangeAnalysis facts_;
  std::unordered_set<Symbol> local_names_;  // lets and vars bound inside the T.Parallel
  Substitution local_values_;               // of those lets
  std::vector<Expr> equations_;             // equal 0 here, inside the T.Parallel
  Reach reach_ = Reach::always;
  std::unordered_set<const Node*> warned_;
  const Parallel* parallel_ = nullptr;
  Span divergence_;
  int divergent_ = 0;              // enclosing conditions that are not thread ranges
  bool both_synchronize_ = false;  // the other branch of an enclosing one has a barrier, too
  ThreadRange threads_;            // of the current statement
};

}  // namespace

FuncRef verify_kernel(const FuncRef& func, PassContext& context) {
  for_each_of_host(*func,
                   [&](const Kernel& kernel) { KernelVerifier(*func, kernel, context).run(); });
  verify_reached_indices(*func, context.diagnostics);
  return func;
}

}  // namespace tilelab
