// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/scoped_visitor.h"

#include "core/targets/target.h"

namespace tilelab {

ScopedVisitor::ScopedVisitor(const Func& func)
    : facts_(RangeAnalysis::of(func)), lanes_(limits_of(func).lanes) {}

void ScopedVisitor::enter(const Node& stmt) {
  if (const Kernel* kernel = as<Kernel>(&stmt))
    facts_.enter(*kernel, lanes_), threads_ = {0, kernel->block};
  if (const Role* role = as<Role>(&stmt)) facts_.enter(*role), threads_ = {0, role->hi - role->lo};
  if (const For* loop = as<For>(&stmt)) facts_.enter(*loop);
  if (const Parallel* loop = as<Parallel>(&stmt)) facts_.enter(*loop);
  if (const TileLoop* loop = as<TileLoop>(&stmt)) facts_.enter(*loop);
}

void ScopedVisitor::bind(const Node& around, const Stmt& stmt) {
  const Let* let = around.kind == Kind::Seq ? as<Let>(stmt) : nullptr;
  if (let && is_integer(let->value->type.dtype)) facts_.bind(*let);
}

}  // namespace tilelab
