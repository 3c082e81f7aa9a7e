// SPDX-License-Identifier: Apache-2.0
// What is worth knowing of the outputs of runs without findings.
#pragma once

#include <span>

#include "views/report_view.h"

namespace tilelab {

/// NaN and infinity that no input had, and elements that nothing wrote.
void write_output_notes(std::span<const CheckedRun> runs, Toned& out);

}  // namespace tilelab
