// SPDX-License-Identifier: Apache-2.0
// Calls of kernels that are too short to interrupt: on the caller's thread, without any Python.
#pragma once

#include "python/call_arguments.h"
#include "python/compilation.h"

namespace tilelab::python {

class QuickCall {
 public:
  /// `as_list`: outputs are returned as a list, even a single one.
  QuickCall(const FuncObject& func, bool as_list);
  /// `values`: a tuple. (result dict, or None if there is nothing to report; the returned value).
  /// None: the call needs
  /// the slow path: it may take longer, or its values need conversion. Nothing has run.
  Object run(const Object& values, bool not_finite);

 private:
  double most_work(const CallArguments& given);

  FuncRef func_;
  CallSignature signature_;
  bool as_list_;
  bool small_;  // few statements: analyzing them is cheap
  host::Dims dims_;
  double most_work_ = -1;          // with these dims; -1: not computed yet
  bool watched_ = false;           // a run with these values has been watched
  bool overlap_reported_ = false;  // by the slow path
};

}  // namespace tilelab::python
