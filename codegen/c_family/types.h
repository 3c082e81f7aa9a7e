// SPDX-License-Identifier: Apache-2.0
// Types and constants of the IR in C.
#pragma once

#include <string>

#include "core/ir/expr.h"

namespace tilelab::codegen {

/// "float", "tl_f16", "tl_f32x4".
std::string c_type(DType dtype);
std::string c_type(Type type);

/// The constant with exactly its bits: "3", "-2147483647 - 1", "0.5f", "tl_f16(0.5f)",
/// "TL_INFINITY". Sets `needs_parens` unless the text is a primary expression.
std::string c_constant(DType dtype, uint64_t bits, bool& needs_parens);

/// Floats narrower than 32 bits: structs in C, converted through float.
bool is_narrow(DType dtype);

}  // namespace tilelab::codegen
