// SPDX-License-Identifier: Apache-2.0
#include "core/passes/select_instructions/select_instructions.h"

#include "core/ir/build.h"
#include "core/ir/tile_op.h"
#include "core/ir/traverse.h"

namespace tilelab {
namespace {

bool waits_for_matmuls(const Stmt& stmt) {
  const Call* call = called(stmt);
  return call && call->intrinsic == Intrinsic::mma_wait;
}

constexpr auto leaves_in_flight = [](const Gemm& gemm) { return gemm.wait > 0; };

/// Removes waits for matmuls, except in roles that leave some in flight.
Stmt idle_waits(const Stmt& stmt) {
  if (waits_for_matmuls(stmt)) return seq({});
  if (const Role* role = as<Role>(stmt))
    if (any_of(*role->body, leaves_in_flight)) return stmt;
  return map_stmts(stmt, [](const Stmt& s) { return idle_waits(s); });
}

}  // namespace

Stmt with_synchronous_matmuls(const Stmt& body) {
  if (!any_of(*body, leaves_in_flight) && !calls(*body, {Intrinsic::mma_wait})) return body;
  return rewrite_stmts(body, [](const Stmt& s) -> Stmt {
    if (waits_for_matmuls(s)) return seq({});
    const Gemm* gemm = as<Gemm>(s);
    if (!gemm || gemm->wait <= 0) return s;
    Gemm out(*gemm);
    out.wait = -1;
    return at(s->span, make(std::move(out)));
  });
}

Stmt with_synchronous_source_matmuls(const Stmt& body) {
  const bool chosen = any_of(*body, [](const Gemm& g) { return g.by != GemmBy::unset; });
  return chosen ? body : with_synchronous_matmuls(body);
}

Stmt without_idle_waits(const Stmt& kernel_body) {
  const bool late = any_of(*kernel_body, leaves_in_flight);
  return late && !contains<Role>(*kernel_body) ? kernel_body : idle_waits(kernel_body);
}

}  // namespace tilelab
