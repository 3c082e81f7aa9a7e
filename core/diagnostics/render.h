// SPDX-License-Identifier: Apache-2.0
// Renders diagnostics for display: the source line, carets, labels, notes, help.
#pragma once

#include "core/diagnostics/diagnostics.h"
#include "core/diagnostics/styled.h"

namespace tilelab {

/// Sources come from the table of core/support/span.h. Lines end in '\n'. A location without known
/// source is shown as name and line.
StyledText render(const Diagnostic& diagnostic);
/// All messages, separated by empty lines.
StyledText render(const Diagnostics& diagnostics);

}  // namespace tilelab
