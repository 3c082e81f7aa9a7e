// SPDX-License-Identifier: Apache-2.0
// Notes on the outputs of runs without findings.
#pragma once

#include <span>

#include "views/report_view.h"

namespace tilelab {

/// NaN and infinity without any in the inputs, and unwritten elements.
void write_output_notes(std::span<const CheckedRun> runs, RichText& out);

}  // namespace tilelab
