// SPDX-License-Identifier: Apache-2.0
#include "core/passes/canonicalize/canonicalize.h"

#include <algorithm>

#include "core/ir/build.h"
#include "core/passes/shared/hardware_units.h"
#include "core/targets/target.h"

namespace tilelab {
namespace {

bool has_swizzle(const Target& target, const Swizzle& swizzle) {
  return std::find(target.swizzles.begin(), target.swizzles.end(), swizzle) !=
         target.swizzles.end();
}

bool is_foreign(const Buffer& buffer, const Target& target) {
  if (buffer.scope != Scope::shared || !buffer.layout.known() || !buffer.swizzle.known())
    return false;
  const std::vector<Target>& all = all_targets();
  return !has_swizzle(target, buffer.swizzle) &&
         std::any_of(all.begin(), all.end(),
                     [&](const Target& other) { return has_swizzle(other, buffer.swizzle); });
}

/// The shared buffers that matmuls read and that T.copy fills from tensors in pipelined loops.
std::unordered_set<Symbol> for_units(const Kernel& kernel, const KernelMemory& memory) {
  std::unordered_set<Symbol> out;
  auto add = [&](const Expr& region) {
    out.insert(memory.views.base_of(to<Region>(region).buffer));
  };
  auto add_filled = [&](const Copy& copy) {
    const Buffer* from = memory.base_buffer(to<Region>(copy.src).buffer);
    if (from && from->scope == Scope::global) add(copy.dst);
  };
  for_each(
      *kernel.body, [&](const Gemm& gemm) { add(gemm.a), add(gemm.b); },
      [&](const For& loop) {
        if (loop.stages > 0) for_each(*loop.body, add_filled);
      });
  return out;
}

}  // namespace

Stmt without_foreign_layouts(const Func& func, const Kernel& kernel, PassContext& context) {
  const Target& target = context.target;
  if (!target.tensor.exists || !uses_hardware_units(func)) return kernel.body;
  if (!any_of(*kernel.body, [&](const Buffer& b) { return is_foreign(b, target); }))
    return kernel.body;
  const KernelMemory memory(func, kernel);
  const std::unordered_set<Symbol> units = for_units(kernel, memory);
  return rewrite_stmts(kernel.body, [&](const Stmt& s) -> Stmt {
    const Buffer* buffer = as<Buffer>(s);
    const bool replaced = buffer && is_foreign(*buffer, target) && units.count(buffer->name) &&
                          !memory.escapes(buffer->name);
    if (!replaced) return s;
    context.reasons.push_back(line_of(*buffer) + "`" + buffer->name.str() +
                              "`: its layout is for the units of other GPUs; the compiler chooses "
                              "one for those of " +
                              std::string(target.name));
    Buffer out(*buffer);
    out.layout = {}, out.swizzle = {};
    return at(s->span, make(std::move(out)));
  });
}

}  // namespace tilelab
