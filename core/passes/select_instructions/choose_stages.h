// SPDX-License-Identifier: Apache-2.0
// The stages of T.Pipelined loops whose num_stages is 0: as many as shared memory has space for, if
// the loop copies operands of matmuls and no fewer blocks then fit on a processor.
#pragma once

#include <string>
#include <vector>

#include "core/targets/target.h"

namespace tilelab {

/// Marks a loop of T.Pipelined with num_stages=0, and also if the compiler has chosen its stages.
constexpr const char* kAutoStages = "auto_stages";

/// The kernel's body with stages chosen; other marked loops lose the mark.
Stmt with_chosen_stages(const Func& func, const Kernel& kernel, const Target& target,
                        std::vector<std::string>& reasons);

}  // namespace tilelab
