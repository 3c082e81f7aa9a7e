// SPDX-License-Identifier: Apache-2.0
#include "core/passes/pipeline/pipeline.h"

#include "core/ir/build.h"
#include "core/ir/traverse.h"
#include "core/passes/select_instructions/select_instructions.h"
#include "core/targets/target.h"

namespace tilelab {
namespace {

/// Whether the kernel depends on thread indices: with fewer threads it would do less work.
bool depends_on_thread(const Kernel& kernel) {
  static const Symbol kTid = "tid", kLane = "lane", kWarp = "warp";
  return any_of(*kernel.body, [&](const Name& name) {
    return name.id == kTid || name.id == kLane || name.id == kWarp;
  });
}

template <class T> Stmt without_layout(const T& node) {
  T out(node);
  out.layout = {};
  if constexpr (requires { out.where; }) out.where = {};
  return make(std::move(out));
}

/// Removes explicit layouts, which are trivial for a single thread.
Stmt without_threads(const Stmt& s) {
  if (const Buffer* b = as<Buffer>(s); b && b->scope == Scope::fragment) return without_layout(*b);
  if (const Parallel* p = as<Parallel>(s)) return without_layout(*p);
  if (const Copy* c = as<Copy>(s)) return without_layout(*c);
  return s;
}

Stmt one_thread(const Kernel& kernel) {
  Kernel out(kernel);
  out.block = 1;
  out.body = rewrite_stmts(kernel.body, [](const Stmt& s) { return without_threads(s); });
  return make(std::move(out));
}

}  // namespace

FuncRef for_target(const FuncRef& func, const Target& target) {
  Func out(*func);
  out.target = target.name;
  if (target.max_threads == 1)
    out.body = rewrite_stmts(func->body, [](const Stmt& s) -> Stmt {
      const Kernel* kernel = as<Kernel>(s);
      if (!kernel || kernel->block == 1 || contains<Role>(*kernel)) return s;
      return depends_on_thread(*kernel) ? s : one_thread(*kernel);  // verify_kernel rejects it
    });
  if (!target.has(Feature::async_matrix)) out.body = with_synchronous_source_matmuls(out.body);
  return make(std::move(out));
}

}  // namespace tilelab
