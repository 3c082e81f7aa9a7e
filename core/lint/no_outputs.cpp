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
  return any_of(*kernel.body, [&](const Store& store) {
    auto found = buffers.find(store.buffer);
    return found != buffers.end() && found->second->scope == Scope::global;
  });
}

}  // namespace

void warn_of_lost_work(const Func& func, Diagnostics& diagnostics) {
  const BufferTable buffers = buffers_of(func);
  for_each_of_host(func, [&](const Kernel& kernel) {
    if (stores(kernel, buffers)) return;
    const Touched memory = touched(*kernel.body);
    const bool leaves = std::any_of(memory.written.begin(), memory.written.end(), [&](Symbol name) {
      auto found = buffers.find(name);
      return found == buffers.end() || found->second->scope == Scope::global;
    });
    if (!memory.written.empty() && !leaves && !contains<Record>(*kernel.body))
      diagnostics.report(usage::kernel_writes_nothing, kernel.span)
          .help("store the result in a tensor: T.copy(result, C[...]), or C[i] = ...");
  });
}

}  // namespace tilelab
