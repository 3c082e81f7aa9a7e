// SPDX-License-Identifier: Apache-2.0
// canonicalize: the first pass. It folds constants, fuses perfectly nested T.Parallel, and
// interchanges a T.Parallel with a serial loop of sums in registers that is its whole body (so that
// common operands are read once and vectors are wide). It names the thread range of a branch with
// tile operations (name_thread_ranges.cpp), and drops layouts for the units of other GPUs
// (foreign_layouts.cpp). It contracts multiply-add once for all later compilers
// (which run with contraction off). The rule: x * y + z, x * y - z and z - x * y of f32 or f64, and
// of f16 or bf16 on NVIDIA GPUs (all since sm_80 have the instructions), with the multiplication in
// the same expression (so it has no other use); of two multiplications the left one contracts.
//   s[i] = a[i] * 2.0 + b[i]      ->      s[i] = fma(a[i], 2.0, b[i])
#include <algorithm>

#include "core/ir/build.h"
#include "core/ir/intrinsics/copied_elements.h"
#include "core/ir/linear.h"
#include "core/ir/traverse.h"
#include "core/passes/canonicalize/canonicalize.h"
#include "core/passes/pass.h"
#include "core/support/text.h"
#include "core/targets/target.h"

namespace tilelab {
namespace {

bool contracts(const Expr& e, const Target& target) {
  const DType dtype = e->type.dtype;
  const bool half = dtype == DType::f16 || dtype == DType::bf16;
  return dtype == DType::f32 || dtype == DType::f64 || (half && target.half_fma);
}

const Bin* product(const Expr& e) {
  const Bin* bin = as<Bin>(e);
  return bin && bin->op == BinOp::mul ? bin : nullptr;
}

Expr contract(const Expr& e, const Target& target) {
  const Bin* bin = as<Bin>(e);
  if (!bin || !contracts(e, target) || (bin->op != BinOp::add && bin->op != BinOp::sub)) return e;
  bool minus = bin->op == BinOp::sub;
  auto fma = [&](Expr a, Expr b, Expr c) {
    return at(e->span, call(Intrinsic::fma, e->type, {std::move(a), std::move(b), std::move(c)}));
  };
  if (const Bin* p = product(bin->a))
    return fma(p->a, p->b, minus ? unary(UnOp::neg, bin->b) : bin->b);
  if (const Bin* p = product(bin->b))
    return fma(minus ? unary(UnOp::neg, p->a) : p->a, p->b, bin->a);
  return e;
}

/// Uses fast, less accurate hardware functions where the program allows it.
Expr use_fast_functions(const Expr& e) {
  if (const Bin* bin = as<Bin>(e);
      bin && bin->op == BinOp::div && e->type.dtype == DType::f32 && !is_const(bin->b)) {
    Expr inverse = at(e->span, call(Intrinsic::fast_rcp, e->type, {bin->b}));
    return at(e->span, binary(BinOp::mul, bin->a, std::move(inverse)));
  }
  const Call* n = as<Call>(e);
  if (!n || n->intrinsic != Intrinsic::exp2 || e->type.dtype != DType::f32) return e;
  Call out(*n);
  out.intrinsic = Intrinsic::fast_exp2;
  return at(e->span, make(std::move(out)));
}

/// T.Parallel directly inside T.Parallel, with nothing else: one loop over both.
Stmt fuse(const Stmt& stmt) {
  const Parallel* outer = as<Parallel>(stmt);
  if (!outer) return stmt;
  const Parallel* inner = as<Parallel>(only_statement(outer->body));
  if (!inner || inner->layout.known() || outer->layout.known()) return stmt;
  for (const Expr& extent : inner->extents)
    for (Symbol var : outer->vars)
      if (mentions(extent, var)) return stmt;
  Parallel fused(*outer);
  fused.vars.insert(fused.vars.end(), inner->vars.begin(), inner->vars.end());
  fused.extents.insert(fused.extents.end(), inner->extents.begin(), inner->extents.end());
  fused.attrs.insert(fused.attrs.end(), inner->attrs.begin(), inner->attrs.end());
  fused.body = inner->body;
  return make(std::move(fused));
}

/// Whether the loop's body only stores to fragments, so that its iterations may run in parallel.
bool only_fills_fragments(const Stmt& stmt, const BufferTable& buffers) {
  if (!stmt) return true;
  if (const Store* store = as<Store>(stmt)) {
    const auto to = buffers.find(store->buffer);
    return to != buffers.end() && to->second->scope == Scope::fragment;
  }
  if (const If* s = as<If>(stmt))
    return only_fills_fragments(s->then_, buffers) && only_fills_fragments(s->else_, buffers);
  if (const For* s = as<For>(stmt)) return only_fills_fragments(s->body, buffers);
  const Seq* s = as<Seq>(stmt);
  return s && std::all_of(s->stmts.begin(), s->stmts.end(),
                          [&](const Stmt& one) { return only_fills_fragments(one, buffers); });
}

/// for i, j in T.Parallel: for k in serial: c[i, j] += ...   ->   interchanged, k outermost.
Stmt interchange_loops(const Stmt& stmt, const BufferTable& buffers) {
  const Parallel* around = as<Parallel>(stmt);
  if (!around) return stmt;
  const For* loop = as<For>(only_statement(around->body));
  if (!loop || loop->mode != LoopMode::serial || !loop->steps.empty()) return stmt;
  for (Symbol var : around->vars)
    for (const Expr& bound : {loop->lo, loop->hi, loop->step})
      if (bound && mentions(bound, var)) return stmt;
  if (!only_fills_fragments(loop->body, buffers)) return stmt;
  Parallel inner(*around);
  inner.body = loop->body;
  For outer(*loop);
  outer.body = at(stmt->span, make(std::move(inner)));
  return at(loop->span, make(std::move(outer)));
}

bool is_empty(const Stmt& stmt) {
  const Seq* s = as<Seq>(stmt);
  return s && s->stmts.empty();
}

/// Dead code elimination: branches with a constant condition, loops that never run.
Stmt drop_dead(const Stmt& stmt) {
  if (const If* s = as<If>(stmt)) {
    auto known = int_value(s->cond);
    if (known) return *known ? s->then_ : s->else_ ? s->else_ : seq({});
    if (s->else_ && is_empty(s->then_)) return at(stmt->span, if_then(negated(s->cond), s->else_));
  }
  if (const For* loop = as<For>(stmt); loop && loop->steps.empty()) {
    auto lo = int_value(loop->lo), hi = int_value(loop->hi), step = int_value(loop->step);
    if (lo && hi && step && (*step > 0 ? *lo >= *hi : *lo <= *hi)) return seq({});
  }
  if (const Parallel* loop = as<Parallel>(stmt))
    for (const Expr& extent : loop->extents)
      if (auto known = int_value(extent); known && *known <= 0) return seq({});
  return stmt;
}

/// T.ptx_cp_async in a T.Pipelined that contains no wait: the compiler schedules the loop and
/// inserts groups and waits. The copies become stores, which it turns into asynchronous copies.
Stmt lower_async_copies_to_stores(const Stmt& stmt) {
  const For* loop = as<For>(stmt);
  if (!loop || loop->stages <= 0 || any_of(*loop->body, completes_copies)) return stmt;
  For out(*loop);
  out.body = rewrite_stmts(loop->body, [](const Stmt& s) {
    const Call* copy = element_copy(s);
    return copy ? at(s->span, copied_elements(*copy)) : s;
  });
  return out.body.same(loop->body) ? stmt : at(stmt->span, make(std::move(out)));
}

}  // namespace

FuncRef canonicalize(const FuncRef& func, PassContext& context) {
  const Attr* contraction = find_attr(func->configs, "tilelab.fp_contract");
  bool contract_on = !contraction || contraction->integer != 0;
  const Attr* fast_math = find_attr(func->configs, "tl.enable_fast_math");
  const bool fast_on = fast_math && fast_math->integer != 0;
  int contracted = 0, fused = 0, moved = 0;
  const BufferTable buffers = buffers_of(*func);
  Stmt body = rewrite(
      func->body,
      [&](const Expr& e) {
        const Expr quick = fast_on ? use_fast_functions(e) : e;
        Expr next = contract_on ? contract(quick, context.target) : quick;
        contracted += !next.same(quick);
        return next;
      },
      [&](const Stmt& s) {
        const Stmt one = fuse(lower_async_copies_to_stores(s));
        Stmt next = interchange_loops(one, buffers);
        fused += as<Parallel>(s) && !one.same(s);
        moved += !next.same(one);
        if (const Kernel* kernel = as<Kernel>(next)) {
          Kernel named(*kernel);
          named.body = without_foreign_layouts(*func, *kernel, context);
          named.body = name_thread_ranges(named, context.target.lanes);
          named.body = without_unused_buffers(unroll_register_loops(named.body));
          if (!named.body.same(kernel->body)) next = make(std::move(named));
        }
        return drop_dead(next);
      });
  if (contracted) context.decide(plural(contracted, "multiply-add") + " contracted");
  if (fused) context.decide(plural(fused, "nested T.Parallel") + " fused");
  if (moved) context.decide(plural(moved, "loop") + " moved out of T.Parallel");
  return with_body(func, body);
}

}  // namespace tilelab
