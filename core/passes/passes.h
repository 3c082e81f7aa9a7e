// SPDX-License-Identifier: Apache-2.0
// One declaration a pass, from the table; each lives in the file of its name.
#pragma once

#include "core/passes/pass.h"

namespace tilelab {

#define PASS(name, takes, gives, reassociates, doc) FuncRef name(const FuncRef&, PassContext&);
#include "core/passes/passes.def"
#undef PASS

}  // namespace tilelab
