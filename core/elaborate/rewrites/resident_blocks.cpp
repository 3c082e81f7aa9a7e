// SPDX-License-Identifier: Apache-2.0
#include "core/elaborate/rewrites/rewrites.h"

#include "core/analysis/divergence.h"
#include "core/ir/build.h"
#include "core/ir/intrinsics/intrinsics.h"
#include "core/ir/traverse.h"

namespace tilelab::elaborate {
namespace {

constexpr const char* kGridMark = "%sync_grid";
constexpr int64_t kTopBit = int64_t{1} << 31;

bool is_grid_mark(const Node& node) {
  const Assign* mark = as<Assign>(&node);
  return mark && mark->name == Symbol(kGridMark);
}

Expr number(int64_t value) { return int_const(value, DType::u32); }

class Residents {
 public:
  Residents(const Kernel& kernel, Symbol counters, const Stmt& sync,
            FunctionRef<Symbol(const char*)> fresh, Diagnostics& diagnostics)
      : kernel_(kernel),
        counters_(counters),
        sync_(sync),
        fresh_(fresh),
        diagnostics_(diagnostics),
        as_threads_(indices_as_threads(kernel)),
        varying_(with_body(kernel, substitute(kernel.body, as_threads_))) {
    for (const Expr& extent : kernel.grid) blocks_ = mul(blocks_, cast(DType::u32, extent));
  }

  Stmt run() {
    if (has_return(*kernel_.body)) report(kernel_.span, "threads leave the kernel");
    if (find_attr(kernel_.attrs, "cluster")) report(kernel_.span, "the blocks form clusters");
    return seq({visit(kernel_.body, ""), ended()});
  }

 private:
  /// `why`: not all blocks and threads surely reach the statement.
  Stmt visit(const Stmt& stmt, const char* why) {
    if (is_grid_mark(*stmt)) {
      if (*why) report(stmt->span, why);
      return at(stmt->span, barrier());
    }
    if (as<Parallel>(stmt) || as<Role>(stmt)) why = "it is in a T.Parallel or a group of threads";
    if (const If* branch = as<If>(stmt); branch && differs(branch->cond))
      why = "not all blocks and threads take this branch";
    const For* loop = as<For>(stmt);
    const While* repeats = as<While>(stmt);
    if ((loop && (differs(loop->lo) || differs(loop->hi))) || (repeats && differs(repeats->cond)))
      why = "the blocks may run different numbers of iterations";
    return map_stmts(stmt, [&](const Stmt& s) { return visit(s, why); });
  }

  /// The indices of blocks as that of the thread: what differs between blocks then differs between
  /// threads.
  static Substitution indices_as_threads(const Kernel& kernel) {
    Substitution out;
    for (Symbol index : kernel.indices) out[index] = name_ref("tid", {DType::i32});
    return out;
  }
  static Kernel with_body(const Kernel& kernel, Stmt body) {
    Kernel out(kernel);
    out.body = std::move(body);
    return out;
  }

  /// Whether the value differs between threads of any blocks.
  bool differs(const Expr& value) const { return varying_(substitute(value, as_threads_)); }

  void report(Span span, const char* why) {
    diagnostics_.report(Diag::grid_barrier, span, why)
        .help(
            "put T.sync_grid() where all threads of all blocks arrive: beside a branch, not in it");
  }

  Expr add_to_counter(int64_t which, const Expr& value) const {
    return call(Intrinsic::atomic_add, {DType::u32}, {counter(which), value},
                {attr("order", "acq_rel")});
  }
  Expr counter(int64_t which) const {
    return region(counters_, DType::u32, {point(int_const(which))});
  }
  static Expr is_first(const Expr& index) { return eq(index, int_const(0)); }
  static Stmt by_thread_0(std::vector<Stmt> stmts) {
    return if_then(is_first(name_ref("tid", {DType::i32})), seq(std::move(stmts)));
  }

  Stmt barrier() {
    Expr first = bool_const(true);
    for (Symbol index : kernel_.indices) first = land(first, is_first(name_ref(index)));
    const Symbol old = fresh_("arrived"), again = fresh_("waits"), now = fresh_("now");
    const Expr changed = binary(
        BinOp::band, binary(BinOp::bxor, name_ref(now, {DType::u32}), name_ref(old, {DType::u32})),
        number(kTopBit));
    const Stmt loop = while_loop(name_ref(again, {DType::bool_}),
                                 seq({let(now, call(Intrinsic::atomic_load, {DType::u32},
                                                    {counter(0)}, {attr("order", "acquire")})),
                                      assign(again, eq(changed, number(0)))}));
    const Expr share = sub(number(kTopBit), sub(blocks_, number(1)));
    return seq({sync_,
                by_thread_0({let(old, add_to_counter(0, select(first, share, number(1)))),
                             var(again, DType::bool_, bool_const(true)), loop}),
                sync_});
  }

  /// Counts the block as ended; the last one zeroes the counters.
  Stmt ended() {
    const Symbol before = fresh_("ended");
    std::vector<Stmt> zeros;
    for (int64_t which : {0, 1})
      zeros.push_back(store(counters_, {point(int_const(which))}, number(0)));
    return by_thread_0({let(before, add_to_counter(1, number(1))),
                        if_then(eq(name_ref(before, {DType::u32}), sub(blocks_, number(1))),
                                seq(std::move(zeros)))});
  }

  const Kernel& kernel_;
  const Symbol counters_;
  const Stmt sync_;
  FunctionRef<Symbol(const char*)> fresh_;
  Diagnostics& diagnostics_;
  const Substitution as_threads_;
  const DivergenceAnalysis varying_;
  Expr blocks_ = number(1);
};

}  // namespace

Stmt resident_barrier() { return assign(Symbol(kGridMark), int_const(0)); }

bool has_resident_barrier(const Node& body) {
  return any_of(body, [](const Assign& assign) { return is_grid_mark(assign); });
}

Stmt with_resident_barriers(const Kernel& kernel, Symbol counters, const Stmt& sync,
                            FunctionRef<Symbol(const char*)> fresh, Diagnostics& diagnostics) {
  return Residents(kernel, counters, sync, fresh, diagnostics).run();
}

}  // namespace tilelab::elaborate
