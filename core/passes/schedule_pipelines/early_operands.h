// SPDX-License-Identifier: Apache-2.0
// A matmul in flight while the threads fill its operand for the next iteration, in another slot:
//   for j in serial(n): b = f(B[j]); gemm(a, b, c)
//   ->  w = ring_acquire(r); b[w] = f(B[0]); ring_commit(r)
//       for j in serial(1, n): s = ring_wait(r); gemm(a, b[s], c)
//                              w = ring_acquire(r); b[w] = f(B[j]); ring_commit(r)
//                              ring_release(r)
//       s = ring_wait(r); gemm(a, b[s], c); ring_release(r)
// The order of matmuls (matmul_order.h) then places the waits.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/passes/schedule_pipelines/pipeline_plan.h"

namespace tilelab {

/// A loop in this form, in its parts.
struct EarlyOperands {
  std::vector<Symbol> operands;  // buffers that become slots of the ring
  std::vector<Stmt> first;       // before the loop
  std::vector<Stmt> iteration;   // of iterations after the first
  std::vector<Stmt> last;        // after the loop
  std::string refused;           // why it does not apply; no operands if no thread fills one
};

/// How often a body refers to each buffer, by its declared name.
std::unordered_map<Symbol, int> buffer_uses(const Node& body, const BufferViews& views);

/// `matmul`: the first in `list`, the body of the loop; `ring`: the name of the new ring; `uses`:
/// those of the whole kernel.
EarlyOperands early_operands(const For& loop, const Seq& list, size_t matmul, Symbol ring,
                             const KernelMemory& memory,
                             const std::unordered_map<Symbol, int>& uses,
                             std::unordered_map<Symbol, int>& taken);

}  // namespace tilelab
