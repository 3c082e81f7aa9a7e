// SPDX-License-Identifier: Apache-2.0
// Branches of single threads in which they exchange values through memory.
#pragma once

#include "core/diagnostics/diagnostics.h"
#include "core/ir/func.h"

namespace tilelab {

/// The kernel's body, where a branch that some threads take, and in which one reads what another
/// has left, is taken apart between the two:
///
///   if p: A; B   ->   if p: A      for k: if p: A; B   ->   for k: if p: A
///                     if p: B                                      if p: B
///
/// so that the whole block can meet there. What can't be taken apart, such as a loop that single
/// threads leave, is told of.
Stmt with_exchanges_apart(const Func& func, const Kernel& kernel, Diagnostics& diagnostics);

}  // namespace tilelab
