// SPDX-License-Identifier: Apache-2.0
// Repeated calls of a kernel on tensors of torch: from Python's values to the driver without any
// Python in between.
#pragma once

#include <Python.h>

#include <memory>

#include "python/call_arguments.h"
#include "runtime/function.h"

namespace tilelab::python {

/// A Python function that takes a call's values as a tuple and returns the call's result;
/// NotImplemented if the call needs the slow path (nothing has run then). `as_list`: outputs are
/// returned as a list, even a single one. Null with a Python error.
PyObject* gpu_call(const Func& func, std::shared_ptr<runtime::DeviceFunction> compiled,
                   bool as_list);

/// Sets the failure as the Python error, with its location.
void set_error(const runtime::Failure& failure);

}  // namespace tilelab::python
