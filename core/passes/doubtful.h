// SPDX-License-Identifier: Apache-2.0
// Warnings of what a kernel may do and rarely means: the rest of a tensor that no block reads, a
// vector of a reduction that is read by the dimension which is gone.
#pragma once

#include "core/diagnostics/diagnostics.h"
#include "core/ir/func.h"

namespace tilelab {

/// Of a tile function. Each says only what holds whenever the kernel runs.
void warn_of_unread_rest(const Func& func, Diagnostics& diagnostics);
void warn_of_reduced_index(const Func& func, Diagnostics& diagnostics);

}  // namespace tilelab
