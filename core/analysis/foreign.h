// SPDX-License-Identifier: Apache-2.0
// Functions of the user's source (T.import_source, T.call_extern). A call has two branches:
//   if native(): foreign(A[0:4], x, name="decode", access="rv")
//   else: the statements of its model
// Where the function itself can run, in the code of a GPU, only the first one is used; everywhere
// else, in the simulator and on the CPU, only the second one.
#pragma once

#include "core/ir/func.h"

namespace tilelab {

/// The branch of a call of a foreign function.
bool is_native(const If& branch);
/// The function with one branch of every foreign call: the function itself, or its model.
Func with_foreign_calls(const Func& func, bool native);
/// Whether a model is the function, compiled for this machine (core/sim/program/hosted.h): where
/// C++ is compiled, the function itself can run.
bool has_hosted_calls(const Func& func);
bool has_foreign_calls(const Func& func);

}  // namespace tilelab
