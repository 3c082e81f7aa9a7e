// SPDX-License-Identifier: Apache-2.0
// ldmatrix and mma expanded to shuffles between the 32 lanes that execute them: for levels and
// targets without these instructions. Each register gets the value that PTX defines for it.
//   ldmatrix(a[0:2], s[i, j:j + 8])
//   ->  a[0] = s[shfl(i, lane // 4), shfl(j, lane // 4) + lane % 4 * 2]; a[1] = ...
#pragma once

#include "core/ir/func.h"
#include "core/ir/intrinsics/intrinsics.h"

namespace tilelab {

struct MatrixInstruction;  // core/layout/matrix.h

/// Whether tile level has the instruction on every target whose warps consist of groups of 32
/// lanes.
inline bool expands_to_shuffles(Intrinsic i) {
  return i == Intrinsic::ldmatrix || i == Intrinsic::mma;
}

/// Whether the rows of PTX's `mma` include this one: their maps of registers to lanes are alike.
bool expands_to_shuffles(const MatrixInstruction& row);

/// The call, if the statement is one of them with operands in buffers (before addresses are flat);
/// otherwise null.
const Call* warp_matrices(const Stmt& stmt);

/// The statements that replace the call.
Stmt expanded_matrices(const Call& call);

}  // namespace tilelab
