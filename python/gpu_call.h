// SPDX-License-Identifier: Apache-2.0
// Calls of a kernel that was launched before, on tensors of torch: from Python's values to the
// driver without any Python in between.
#pragma once

#include <Python.h>

#include <memory>

#include "python/call_arguments.h"
#include "runtime/function.h"

namespace tilelab::python {

/// A function of Python that takes a call's values as a tuple and gives what the call returns;
/// NotImplemented where the call needs the long road (nothing has run then). `as_list`: outputs are
/// returned as a list, even one alone. Null with a Python error.
PyObject* gpu_call(const Func& func, std::shared_ptr<runtime::DeviceFunction> compiled,
                   bool as_list);

/// Makes the failure the Python error, with its place.
void set_error(const runtime::Failure& failure);

}  // namespace tilelab::python
