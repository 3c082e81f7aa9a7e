// SPDX-License-Identifier: Apache-2.0
// Splits branches in which single threads exchange values through memory.
#pragma once

#include "core/diagnostics/diagnostics.h"
#include "core/ir/func.h"

namespace tilelab {

/// The kernel's body after splitting each branch that some threads take, and in which one thread
/// reads what another wrote,
/// between the two accesses:
///
///   if p: A; B   ->   if p: A      for k: if p: A; B   ->   for k: if p: A
///                     if p: B                                      if p: B
///
/// A barrier of the whole block then fits between the parts. What cannot be split, such as a loop
/// that single threads leave, is reported.
Stmt split_exchanges(const Func& func, const Kernel& kernel, Diagnostics& diagnostics);

}  // namespace tilelab
