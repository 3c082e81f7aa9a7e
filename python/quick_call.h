// SPDX-License-Identifier: Apache-2.0
// Calls of kernels that are over before anybody could end them: on the caller's thread, without any
// Python.
#pragma once

#include <pybind11/pybind11.h>

#include "python/call_arguments.h"
#include "python/compilation.h"

namespace tilelab::python {

class QuickCall {
 public:
  /// `as_list`: outputs are returned as a list, even one alone.
  QuickCall(const FuncObject& func, bool as_list);
  /// (what happened as a dict, or None: nothing to tell; what the call returns). None: the call
  /// needs the long road: it may take longer, or its values need a closer look. Nothing has run.
  pybind11::object run(const pybind11::tuple& values, bool not_finite);

 private:
  double most_work(const CallArguments& given);

  FuncRef func_;
  CallSignature signature_;
  bool as_list_;
  bool small_;  // few statements: what they do is soon looked through
  std::vector<int64_t> names_;
  double most_work_ = -1;  // with these values of the names; -1: not asked yet
  bool watched_ = false;   // a run with these values has been watched
};

}  // namespace tilelab::python
