// SPDX-License-Identifier: Apache-2.0
// What an operator of the syntax is in the IR, the same in kernels and in IR text.
#pragma once

#include <optional>

#include "core/ir/expr.h"
#include "core/syntax/tree.h"

namespace tilelab {

/// Empty for operators that are no operation on two values of the IR: `**`, `@`, `in`, `is`, ...
std::optional<BinOp> ir_op(syntax::Op op);

}  // namespace tilelab
