// SPDX-License-Identifier: Apache-2.0
// The name of a buffer that is given to a value: `C = A[i] + B[i]` forgot an index; where the name
// is read behind it, `scale = scale[i] * 2` and `C[i] = A[i] * scale`, the value is meant.
#pragma once

#include "core/diagnostics/diagnostics.h"
#include "core/elaborate/frame.h"

namespace tilelab::elaborate {

/// Binds, and remembers the buffer that had the name.
void hide(Frame& frame, Symbol name, Binding binding);
/// Whether the binding is the error of a forgotten index, as far as is known.
bool index_forgotten(const Diagnostics& diagnostics, const Binding& binding);
/// The value of the name is meant: what was an error is a warning.
void value_meant(Diagnostics& diagnostics, const Binding& binding, Symbol name);

}  // namespace tilelab::elaborate
