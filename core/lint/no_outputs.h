// SPDX-License-Identifier: Apache-2.0
// A warning about kernels whose results are unused.
#pragma once

#include "core/diagnostics/diagnostics.h"
#include "core/ir/func.h"

namespace tilelab {

/// Warns about each kernel of a tile function that writes no tensor and prints nothing.
void warn_of_lost_work(const Func& func, Diagnostics& diagnostics);

}  // namespace tilelab
