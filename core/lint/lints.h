// SPDX-License-Identifier: Apache-2.0
// Warnings of what a kernel may do and rarely means: the rest of a tensor that no block reads or
// writes, a condition that lets one index too many through, a vector of a reduction that is read by
// the dimension which is gone, a loop of which only the last turn counts, zeros behind the end of
// a tensor in a maximum, a product of tiles that do not belong together, iterations of a T.Parallel
// that meet in an element, blocks that write the same ones, fragments that take more registers than
// there are.
#pragma once

#include "core/diagnostics/diagnostics.h"
#include "core/ir/func.h"
#include "core/targets/target.h"

namespace tilelab {

/// Of a tile function. Each says only what holds whenever the kernel runs.
void warn_of_unwritten_rest(const Func& func, Diagnostics& diagnostics);
void warn_of_unread_rest(const Func& func, Diagnostics& diagnostics);
void warn_of_wide_guards(const Func& func, Diagnostics& diagnostics);
void warn_of_reduced_index(const Func& func, Diagnostics& diagnostics);
void warn_of_lost_turns(const Func& func, Diagnostics& diagnostics);
void warn_of_counted_padding(const Func& func, Diagnostics& diagnostics);
void warn_of_tiles_apart(const Func& func, Diagnostics& diagnostics);
void warn_of_meeting_iterations(const Func& func, Diagnostics& diagnostics);
void warn_of_meeting_blocks(const Func& func, Diagnostics& diagnostics);
void warn_of_unwaited_barriers(const Func& func, Diagnostics& diagnostics);
/// Of a tile function whose fragments have layouts.
void warn_of_spilled_registers(const Func& func, const Target& target, Diagnostics& diagnostics);

}  // namespace tilelab
