// SPDX-License-Identifier: Apache-2.0
// Static warnings about likely mistakes in a kernel; they need no data. Warnings of a run are
// reported by core/check.
#pragma once

#include "core/diagnostics/diagnostics.h"
#include "core/ir/func.h"
#include "core/lint/access_strides.h"
#include "core/targets/target.h"

namespace tilelab {

/// For a tile function. Each reports only what holds for every execution.
void warn_of_unwritten_elements(const std::vector<AccessedTensor>& tensors,
                                Diagnostics& diagnostics);
void warn_of_unread_elements(const std::vector<AccessedTensor>& tensors, Diagnostics& diagnostics);
void warn_of_reduced_index(const Func& func, Diagnostics& diagnostics);
void warn_of_mismatched_tiles(const Func& func, Diagnostics& diagnostics);
void warn_of_unwaited_barriers(const Func& func, Diagnostics& diagnostics);
/// For a tile function with fragment layouts.
void warn_of_spilled_registers(const Func& func, const Target& target, Diagnostics& diagnostics);

}  // namespace tilelab
