// SPDX-License-Identifier: Apache-2.0
#include "core/passes/select_instructions/async_matmul.h"

#include "core/ir/build.h"
#include "core/ir/tile_op.h"
#include "core/ir/traverse.h"

namespace tilelab {
namespace {

bool waits_for_products(const Stmt& stmt) {
  const Do* d = as<Do>(stmt);
  const Call* call = d ? as<Call>(d->call) : nullptr;
  return call && call->intrinsic == Intrinsic::mma_wait;
}

bool any_product(const Stmt& body, FunctionRef<bool(const Gemm&)> wanted) {
  bool found = false;
  walk(*body, [&](const Node& node) {
    const Gemm* gemm = as<Gemm>(&node);
    found |= gemm && wanted(*gemm);
    return !found && group(node.kind) != Group::expr;
  });
  return found;
}

/// Without waits for products, outside of roles that leave some in flight.
Stmt idle_waits(const Stmt& stmt) {
  if (waits_for_products(stmt)) return seq({});
  if (const Role* role = as<Role>(stmt))
    if (any_product(role->body, [](const Gemm& gemm) { return gemm.wait > 0; })) return stmt;
  Stmt out = map_children(
      stmt, [](const Expr& e) { return e; }, [](const Stmt& s) { return idle_waits(s); });
  const Seq* list = as<Seq>(out);
  return list && !out.same(stmt) ? at(stmt->span, seq(list->stmts)) : out;
}

}  // namespace

Stmt with_ended_products(const Stmt& body) {
  bool any = false;
  walk(*body, [&](const Node& node) {
    const Gemm* gemm = as<Gemm>(&node);
    const Call* call = as<Call>(&node);
    any |= (gemm && gemm->wait > 0) || (call && call->intrinsic == Intrinsic::mma_wait);
    return !any;
  });
  if (!any) return body;
  return rewrite(
      body, [](const Expr& e) { return e; },
      [](const Stmt& s) -> Stmt {
        if (waits_for_products(s)) return seq({});
        const Seq* list = as<Seq>(s);
        if (list) return at(s->span, seq(list->stmts));
        const Gemm* gemm = as<Gemm>(s);
        if (!gemm || gemm->wait <= 0) return s;
        Gemm out(*gemm);
        out.wait = -1;
        return at(s->span, make(std::move(out)));
      });
}

Stmt with_ended_products_of_source(const Stmt& body) {
  const bool chosen = any_product(body, [](const Gemm& g) { return g.by != GemmBy::unset; });
  return chosen ? body : with_ended_products(body);
}

Stmt without_idle_waits(const Stmt& kernel_body) {
  bool roles = false;
  walk(*kernel_body, [&](const Node& node) {
    roles |= node.kind == Kind::Role;
    return !roles && group(node.kind) != Group::expr;
  });
  const bool late = any_product(kernel_body, [](const Gemm& gemm) { return gemm.wait > 0; });
  return late && !roles ? kernel_body : idle_waits(kernel_body);
}

}  // namespace tilelab
