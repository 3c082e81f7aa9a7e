// SPDX-License-Identifier: Apache-2.0
// Checks of kernels without a call, for Python.
#pragma once

#include "python/compilation.h"
#include "python/runs.h"

namespace tilelab::python {

/// Checks a sample of the blocks on generated tensors; extents and numbers are those of a call, if
/// one is described. {"warnings", "unchecked"}.
Object check_made_up(const FuncObject& self, const std::vector<sim::Argument>& arguments);

}  // namespace tilelab::python
