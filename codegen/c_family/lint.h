// SPDX-License-Identifier: Apache-2.0
// L0: rules of the hardware that flat IR must keep, checked without running anything.
// A complaint is a bug of a pass or of hand-written IR, so these are plain sentences.
#pragma once

#include <string>
#include <vector>

#include "core/ir/func.h"
#include "core/targets/target.h"

namespace tilelab::codegen {

/// What is certainly wrong; what can't be decided passes. Empty for good IR.
///   launch    threads, shared memory, thread counts in whole warps (squads for SQMMA)
///   shared    buffers inside the launch's shared memory, places aligned
///   vectors   at most the widest access, not provably misaligned
///   barriers  reserved first, ids in range, each initialised once and before a full block sync,
///             counts within the block, bytes announced = bytes of the boxes behind it
///   engine    box rows of 16 bytes, swizzled boxes at 256-byte lines and not wider
///   SQMMA     shape exists for the type, accumulators of the right number, descriptor codes
std::vector<std::string> lint(const Func& flat, const Target& target);

}  // namespace tilelab::codegen
