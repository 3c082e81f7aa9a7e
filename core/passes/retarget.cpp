// SPDX-License-Identifier: Apache-2.0
#include "core/passes/retarget.h"

#include "core/ir/build.h"
#include "core/ir/traverse.h"
#include "core/targets/target.h"

namespace tilelab {
namespace {

bool has_roles(const Kernel& kernel) {
  bool found = false;
  walk(*kernel.body, [&](const Node& node) {
    found |= node.kind == Kind::Role;
    return !found && group(node.kind) != Group::expr;
  });
  return found;
}

Stmt one_thread(const Kernel& kernel) {
  Kernel out(kernel);
  out.block = 1;
  Substitution zero;
  for (const char* name : {"tid", "lane", "warp"}) zero.emplace(name, int_const(0));
  out.body = substitute(kernel.body, zero);
  return make(std::move(out));
}

}  // namespace

FuncRef for_target(const FuncRef& func, const Target& target) {
  Func out(*func);
  out.target = target.name;
  if (target.max_threads == 1)
    out.body = rewrite(
        func->body, [](const Expr& e) { return e; },
        [](const Stmt& s) -> Stmt {
          const Kernel* kernel = as<Kernel>(s);
          return kernel && kernel->block > 1 && !has_roles(*kernel) ? one_thread(*kernel) : s;
        });
  return make(std::move(out));
}

}  // namespace tilelab
