// SPDX-License-Identifier: Apache-2.0
// Diagnostics as people read them: the source line, carets, labels, notes, help.
#pragma once

#include "core/diagnostics/diagnostics.h"
#include "core/diagnostics/styled.h"

namespace tilelab {

/// Sources are looked up in the table of core/support/span.h. Lines end in '\n'. A place whose
/// source is not known is given by name and line alone.
StyledText render(const Diagnostic& diagnostic);
/// All of them, an empty line between two.
StyledText render(const Diagnostics& diagnostics);

}  // namespace tilelab
