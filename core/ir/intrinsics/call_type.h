// SPDX-License-Identifier: Apache-2.0
// The result type of an intrinsic for given operands, unless the call states another.
#pragma once

#include "core/ir/expr.h"

namespace tilelab {

/// `args` as in the call. Type{} for intrinsics without a result and those whose type only the call
/// states (bits, inf).
Type natural_type(Intrinsic intrinsic, const std::vector<Expr>& args);

/// The arguments that share one dtype, as a bit mask: literals take the dtype of the first argument
/// that is not a literal.
uint32_t same_dtype_operands(Intrinsic intrinsic);

/// The attribute that is printed first without its name ("scope" of leader), or "".
Symbol positional_attr(Intrinsic intrinsic);

/// What the call does to operand `i`: as the table states or, for a foreign function, the call.
const OperandInfo* operand_info(const Call& call, size_t i);

/// The letters of the attribute `access` of a foreign call, one for each operand.
namespace foreign_access {
inline constexpr char value = 'v', reads = 'r', writes = 'w', updates = 'u';
}

}  // namespace tilelab
