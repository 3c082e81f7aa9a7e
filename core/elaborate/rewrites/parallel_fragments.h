// SPDX-License-Identifier: Apache-2.0
// Fragments in T.Parallel whose iterations do not match their elements, as TileLang defines it.
#pragma once

#include "core/diagnostics/diagnostics.h"
#include "core/ir/func.h"

namespace tilelab::elaborate {

/// Variables that do not occur in the index of an accumulation into a fragment become serial loops
/// inside the iterations: the thread that holds the element adds its terms in order.
///   for i, j in parallel(64, 32): acc[i] = acc[i] + s[i, j]
///   ->  for i in parallel(64): for j in serial(32): acc[i] = acc[i] + s[i, j]
Stmt with_serial_accumulations(const Kernel& kernel);

/// A fragment that is only used element by element gets the elements that its T.Parallel loops
/// use beyond its extents; warns, because in another place this is a mistake.
Stmt with_extended_fragments(const Kernel& kernel, Diagnostics& diagnostics);

}  // namespace tilelab::elaborate
