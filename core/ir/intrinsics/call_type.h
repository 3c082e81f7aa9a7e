// SPDX-License-Identifier: Apache-2.0
// What an intrinsic gives for its operands: the type that a call has unless it says otherwise.
#pragma once

#include "core/ir/expr.h"

namespace tilelab {

/// `args` as in the call. Intrinsics without a result give Type{}; so do those whose type only the
/// call can say (bits, inf).
Type natural_type(Intrinsic intrinsic, const std::vector<Expr>& args);

/// The arguments that share one dtype, as a bit mask: literals among them take the dtype of the
/// first that is no literal.
uint32_t same_dtype_operands(Intrinsic intrinsic);

/// The attribute that is written without its name, before the operands ("scope" of leader), or "".
Symbol positional_attr(Intrinsic intrinsic);

}  // namespace tilelab
