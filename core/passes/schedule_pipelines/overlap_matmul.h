// SPDX-License-Identifier: Apache-2.0
// The steps of overlap_matmul.cpp that are in separate files.
#pragma once

#include <string>
#include <vector>

#include "core/passes/schedule_pipelines/pipeline_plan.h"

namespace tilelab {

// The order of an iteration's statements in which its matmuls overlap with other work: each is
// issued as soon as its operands are complete, and waited for where its result is needed.
//   gemm(k, q, s); p = exp2(s); gemm(v, g, t); gemm(p, g, dv); ds = p * t; gemm(ds, q, dk)
//   ->  gemm(k, q, s, wait=1); gemm(v, g, t, wait=2); mma_wait(1); p = exp2(s)
//       gemm(p, g, dv, wait=2); mma_wait(1); ds = p * t; gemm(ds, q, dk, wait=2); mma_wait(0)

/// The name that a statement binds for later ones.
Symbol bound_by(const Node& stmt);

/// Whether the statement may move past others that it does not depend on: it does not declare,
/// assign or synchronize, and has no other effects.
bool is_movable(const Stmt& stmt);

/// The statements of a loop's body in that order; empty if no matmul would overlap. Statements move
/// if the fragments then need at most `fragment_bytes` in all threads, or no more than before.
std::vector<Stmt> order_of_matmuls(const std::vector<Stmt>& body, const BufferTable& buffers,
                                   const BufferViews& views, int64_t fragment_bytes);

// A matmul in flight while the threads fill its operand for the next iteration, in another slot:
//   for j in serial(n): b = f(B[j]); gemm(a, b, c)
//   ->  w = ring_acquire(r); b[w] = f(B[0]); ring_commit(r)
//       for j in serial(1, n): s = ring_wait(r); gemm(a, b[s], c)
//                              w = ring_acquire(r); b[w] = f(B[j]); ring_commit(r)
//                              ring_release(r)
//       s = ring_wait(r); gemm(a, b[s], c); ring_release(r)
// The order of matmuls (matmul_order.cpp) then places the waits.

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
