// SPDX-License-Identifier: Apache-2.0
// Declares one function per row of the table, defined in the file or folder of that name.
#pragma once

#include "core/passes/pass.h"

namespace tilelab {

#define PASS(name, takes, gives, reassociates, doc, holds) \
  FuncRef name(const FuncRef&, PassContext&);
#include "core/ir/passes.def"
#undef PASS

}  // namespace tilelab
