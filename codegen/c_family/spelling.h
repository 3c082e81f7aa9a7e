// SPDX-License-Identifier: Apache-2.0
// The spelling of each intrinsic in each target's C. The tables are codegen/c_family/spelling.def,
// for all families, and codegen/{musa,cuda,cpu}/spelling.def: a row for each row of
// core/ir/intrinsics/intrinsics.def that the family has and that is written; SPELL2 where its two
// architectures differ. A MATH or ATOMIC row without one is the function of the device header that
// has its name: exp is tl_exp($0).
//
// A spelling is text with placeholders:
//   $0 $1 ...  the operand, by its kind in intrinsics.def: value, pointer, address, id
//   $t         the C type of the result        $bytes  bytes of operand 0's or 1's region
//   $NAME      an attribute: integer, word, or a list as "a, b"; booleans as 0 and 1
//   $int:K     operand K as an integer, even if its kind is an address (descriptors)
//   $ivec:K    operand K, or the attribute K, a list, as "tl_i2(a, b)"
//   $first     "_first" for a load that marks its cache lines as the first to evict
//   $phase     the phase variable of the barrier that attribute `id` names
//   $slices    the operands that are registers, as references to arrays
//   $matrices  the number of 8 x 8 matrices in the register operand
//   $m $n $k   of attribute `shape` ("m128n64k64")
//   [ ... ]    only if every operand named inside was given
// "" writes nothing. "!reason" reports the operation as unsupported.
#pragma once

#include <string_view>

#include "core/ir/intrinsics/intrinsics.h"
#include "core/targets/target.h"

namespace tilelab::codegen {

/// The spelling of `intrinsic` for `target`.
const char* spelling(Intrinsic intrinsic, const Target& target);
inline bool refused(std::string_view spelling) { return !spelling.empty() && spelling[0] == '!'; }

}  // namespace tilelab::codegen
