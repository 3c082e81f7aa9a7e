// SPDX-License-Identifier: Apache-2.0
// Rebinding the name of a buffer to a value: `C = A[i] + B[i]` forgot an index. But if the name is
// read later, as in `scale = scale[i] * 2` and `C[i] = A[i] * scale`, it is intended.
#pragma once

#include "core/diagnostics/diagnostics.h"
#include "core/elaborate/frame.h"

namespace tilelab::elaborate {

/// Whether the binding is currently reported as a forgotten index.
bool is_forgotten_index(const Diagnostics& diagnostics, const Binding& binding);
/// The rebinding is intended: turns the error into a warning.
void allow_rebinding(Diagnostics& diagnostics, const Binding& binding, Symbol name);

}  // namespace tilelab::elaborate
