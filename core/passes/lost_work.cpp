// SPDX-License-Identifier: Apache-2.0
#include "core/passes/lost_work.h"

#include "core/diagnostics/usage.h"
#include "core/ir/traverse.h"

namespace tilelab {
namespace {

/// Whether something of a kernel's work is left: in a tensor (a name that is no buffer of a block
/// may be a view of one), in what it prints, or by an intrinsic.
bool leaves_something(const Kernel& kernel, const BufferTable& buffers, bool& works) {
  bool seen = false;
  walk(*kernel.body, [&](const Node& node) {
    seen |= node.kind == Kind::Record || node.kind == Kind::Do;
    if (const Let* let = as<Let>(&node)) seen |= as<Call>(let->value) != nullptr;
    for (const Operand& operand : operands_of(node)) {
      if (!operand.written) continue;
      works = true;
      auto found = buffers.find(operand.region ? operand.region->buffer : operand.buffer);
      seen |= found == buffers.end() || found->second->scope == Scope::global;
    }
    return !seen;
  });
  return seen;
}

}  // namespace

void warn_of_lost_work(const Func& func, Diagnostics& diagnostics) {
  const BufferTable buffers = buffers_of(func);
  walk(*func.body, [&](const Node& node) {
    const Kernel* kernel = as<Kernel>(&node);
    if (!kernel) return true;
    bool works = false;
    if (!leaves_something(*kernel, buffers, works) && works)
      diagnostics.report(usage::kernel_writes_nothing, kernel->span)
          .help("bring the result out: T.copy(result, C[...]), or store it, C[i] = ...");
    return false;
  });
}

}  // namespace tilelab
