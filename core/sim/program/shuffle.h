// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/ir/intrinsics/intrinsics.h"

namespace tilelab::sim {

/// The lane from which lane `lane` of a warp reads in a shuffle. PTX defines shfl for 32 lanes,
/// where only the low 5 bits of the operand count; a warp of 2^n lanes uses n bits. A lane whose
/// source is not among the first `live` lanes reads its own value.
inline int shuffle_source(Intrinsic what, int lane, int64_t operand, int warp, int live) {
  const int bits = int(operand & (warp - 1));
  const int source = what == Intrinsic::shfl_xor    ? lane ^ bits
                     : what == Intrinsic::shfl_up   ? lane - bits
                     : what == Intrinsic::shfl_down ? lane + bits
                                                    : bits;
  return source < 0 || source >= live ? lane : source;
}

}  // namespace tilelab::sim
