// SPDX-License-Identifier: Apache-2.0
// A warning of kernels whose results nobody gets.
#pragma once

#include "core/diagnostics/diagnostics.h"
#include "core/ir/func.h"

namespace tilelab {

/// Warns of each kernel of a tile function that works, but writes no tensor and prints nothing.
void warn_of_lost_work(const Func& func, Diagnostics& diagnostics);

}  // namespace tilelab
