// SPDX-License-Identifier: Apache-2.0
#include "core/passes/select_instructions/select_instructions.h"

#include <algorithm>

#include "core/ir/build.h"
#include "core/ir/traverse.h"
#include "core/passes/shared/hardware_units.h"
#include "core/support/text.h"

namespace tilelab {
namespace {

constexpr int64_t kMostStages = 4;

bool is_marked(const For& loop) { return find_attr(loop.attrs, kAutoStages) != nullptr; }

/// Whether the program orders its copies and threads itself.
bool orders_itself(const Stmt& body) {
  return any_of(
      *body, [](const Role&) { return true; }, [](const Ring&) { return true; },
      [](const Buffer& buffer) { return buffer.scope == Scope::barrier; },
      [](const Copy& copy) { return has_explicit_wait(copy); },
      [](const Gemm& gemm) { return gemm.wait >= 0; },
      [](const Call& call) {
        const IntrinsicInfo& row = info(call.intrinsic);
        return (row.orders() && !orders_in_place(call.intrinsic)) || row.async != Async::none ||
               row.step == Step::foreign;
      });
}

/// The bytes that the loop's copies from tensors fill in each iteration; 0 if it has no matmul.
int64_t copied_bytes(const For& loop, const KernelMemory& memory) {
  if (!loop.steps.empty() || (loop.step && !is_int(loop.step, 1))) return 0;
  if (!contains<Gemm>(*loop.body)) return 0;
  int64_t out = 0;
  for (const Stmt& stmt : statements_of(loop.body)) {
    const Copy* copy = as<Copy>(stmt);
    const Buffer* from = copy ? memory.base_buffer(to<Region>(copy->src).buffer) : nullptr;
    const Buffer* into = copy ? memory.buffer(to<Region>(copy->dst)) : nullptr;
    if (from && into && from->scope == Scope::global && into->scope == Scope::shared)
      out += allocated_bytes(*into);
  }
  return out;
}

}  // namespace

Stmt with_chosen_stages(const Func& func, const Kernel& kernel, const Target& target,
                        std::vector<std::string>& reasons) {
  if (!any_of(*kernel.body, is_marked)) return kernel.body;
  const KernelMemory memory(func, kernel);
  int64_t all = 0, copied = 0;
  for_each(
      *kernel.body,
      [&](const Buffer& buffer) {
        if (buffer.scope == Scope::shared) all += allocated_bytes(buffer);
      },
      [&](const For& loop) {
        if (is_marked(loop)) copied += copied_bytes(loop, memory);
      });
  const bool pipelined = any_of(*kernel.body, [](const For& loop) { return loop.stages > 0; });
  const bool can = target.async_copy && uses_hardware_units(func) && !pipelined && copied > 0 &&
                   !orders_itself(kernel.body);
  // Of a kernel that leaves space for a second block, the slots do so, too.
  const int64_t limit = target.shared_bytes / (2 * all <= target.shared_bytes ? 2 : 1);
  const int64_t fit = can && all <= limit ? 1 + (limit - all) / copied : 1;
  const int64_t stages = std::min(fit, kMostStages);
  return rewrite_stmts(kernel.body, [&](const Stmt& stmt) -> Stmt {
    const For* loop = as<For>(stmt);
    if (!loop || !is_marked(*loop)) return stmt;
    For out(*loop);
    if (stages > 1 && copied_bytes(*loop, memory) > 0) {
      out.stages = stages;
      reasons.push_back(line_of(*stmt) + "T.Pipelined: " + plural(stages, "stage") +
                        ", chosen by the compiler since num_stages is 0");
    } else {
      std::erase_if(out.attrs, [](const Attr& each) { return each.name == kAutoStages; });
    }
    return at(stmt->span, make(std::move(out)));
  });
}

}  // namespace tilelab
