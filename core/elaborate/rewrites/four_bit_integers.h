// SPDX-License-Identifier: Apache-2.0
// Values of int4 and uint4 in registers: integers of eight bits that stay within four.
//   x = i4(y) * i4(3)  ->  x = i8(i8(y) << 4 >> 4) * 3 << 4 >> 4
#pragma once

#include "core/ir/stmt.h"

namespace tilelab::elaborate {

/// The body with i8 in place of i4 and u8 in place of u4. Conversions and arithmetic wrap at four
/// bits, and floats saturate; a reduction accumulates in eight.
Stmt widened_integers(const Stmt& body);

}  // namespace tilelab::elaborate
