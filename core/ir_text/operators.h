// SPDX-License-Identifier: Apache-2.0
// IR operations of syntax operators, shared by kernels and IR text.
#pragma once

#include <optional>

#include "core/ir/expr.h"
#include "core/syntax/tree.h"

namespace tilelab {

/// nullopt for operators without a binary IR operation: `**`, `@`, `in`, `is`, ...
std::optional<BinOp> ir_op(syntax::Op op);

}  // namespace tilelab
