// SPDX-License-Identifier: Apache-2.0
#include "core/lint/lints.h"

#include <algorithm>

#include "core/analysis/effects.h"
#include "core/diagnostics/usage.h"
#include "core/ir/traverse.h"

namespace tilelab {
namespace {

/// Whether an element of a tensor is stored: a quick check before computing all effects.
bool stores(const Kernel& kernel, const BufferTable& buffers) {
  bool seen = false;
  walk(*kernel.body, [&](const Node& node) {
    if (const Store* store = as<Store>(&node)) {
      auto found = buffers.find(store->buffer);
      seen |= found != buffers.end() && found->second->scope == Scope::global;
    }
    return !seen && group(node.kind) != Group::expr;
  });
  return seen;
}

bool prints(const Kernel& kernel) {
  bool seen = false;
  walk(*kernel.body, [&](const Node& node) {
    seen |= node.kind == Kind::Record;
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
    if (stores(*kernel, buffers)) return false;
    const Touched memory = touched(*kernel->body);
    const bool leaves = std::any_of(memory.written.begin(), memory.written.end(), [&](Symbol name) {
      auto found = buffers.find(name);
      return found == buffers.end() || found->second->scope == Scope::global;
    });
    if (!memory.written.empty() && !leaves && !prints(*kernel))
      diagnostics.report(usage::kernel_writes_nothing, kernel->span)
          .help("store the result in a tensor: T.copy(result, C[...]), or C[i] = ...");
    return false;
  });
}

}  // namespace tilelab
