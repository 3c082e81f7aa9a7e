// SPDX-License-Identifier: Apache-2.0
// L0: hardware rules for flat IR, checked statically. A violation is a bug of a pass or of manually
// written IR, so the messages are plain sentences.
#pragma once

#include <string>
#include <vector>

#include "core/ir/func.h"
#include "core/targets/target.h"

namespace tilelab::codegen {

/// Reports provable violations only. Empty for correct IR.
///   launch    threads, shared memory, thread counts in whole warps (squads for SQMMA)
///   shared    buffers within the launch's shared memory, offsets aligned
///   vectors   at most the widest access, not provably misaligned
///   barriers  reserved first, IDs in range, each initialized once and before a full block sync,
///             counts within the block, bytes announced = bytes of the boxes that follow
///   engine    box rows of 16 bytes, swizzled boxes at 256-byte lines and not wider
///   SQMMA     shape exists for the type, correct number of accumulators, descriptor codes
std::vector<std::string> lint(const Func& flat, const Target& target);

}  // namespace tilelab::codegen
