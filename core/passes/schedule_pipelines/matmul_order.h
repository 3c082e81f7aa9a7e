// SPDX-License-Identifier: Apache-2.0
// The order of an iteration's statements in which its matmuls overlap with other work: each is
// issued as soon as its operands are complete, and waited for where its result is needed.
//   gemm(k, q, s); p = exp2(s); gemm(v, g, t); gemm(p, g, dv); ds = p * t; gemm(ds, q, dk)
//   ->  gemm(k, q, s, wait=1); gemm(v, g, t, wait=2); mma_wait(1); p = exp2(s)
//       gemm(p, g, dv, wait=2); mma_wait(1); ds = p * t; gemm(ds, q, dk, wait=2); mma_wait(0)
#pragma once

#include <string>
#include <vector>

#include "core/passes/schedule_pipelines/pipeline_plan.h"

namespace tilelab {

/// The name that a statement binds for later ones.
Symbol bound_by(const Node& stmt);

/// Whether the statement may move past others that it does not depend on: it does not declare,
/// assign or synchronize, and has no other effects.
bool is_movable(const Stmt& stmt);

/// The statements of a loop's body in that order; empty if no matmul would overlap. Statements move
/// if the fragments then need at most `fragment_bytes` in all threads, or no more than before.
std::vector<Stmt> order_of_matmuls(const std::vector<Stmt>& body, const BufferTable& buffers,
                                   const BufferViews& views, int64_t fragment_bytes);

}  // namespace tilelab
