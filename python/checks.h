// SPDX-License-Identifier: Apache-2.0
// Checks of kernels without a call, for Python.
#pragma once

#include <pybind11/pybind11.h>

#include "python/compilation.h"

namespace tilelab::python {

/// Checks a sample of the blocks on generated tensors; extents and numbers are those of a call, if
/// one is described. {"warnings", "unchecked"}.
pybind11::dict check_made_up(const FuncObject& self, const pybind11::list& described);

}  // namespace tilelab::python
