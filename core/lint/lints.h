// SPDX-License-Identifier: Apache-2.0
// Static warnings of what a kernel may do and rarely means; they need no data. What a run shows is
// reported by core/check.
#pragma once

#include "core/diagnostics/diagnostics.h"
#include "core/ir/func.h"
#include "core/targets/target.h"

namespace tilelab {

/// Of a tile function. Each says only what holds whenever the kernel runs.
void warn_of_unwritten_rest(const Func& func, Diagnostics& diagnostics);
void warn_of_unread_rest(const Func& func, Diagnostics& diagnostics);
void warn_of_reduced_index(const Func& func, Diagnostics& diagnostics);
void warn_of_tiles_apart(const Func& func, Diagnostics& diagnostics);
void warn_of_unwaited_barriers(const Func& func, Diagnostics& diagnostics);
/// Of a tile function whose fragments have layouts.
void warn_of_spilled_registers(const Func& func, const Target& target, Diagnostics& diagnostics);

}  // namespace tilelab
