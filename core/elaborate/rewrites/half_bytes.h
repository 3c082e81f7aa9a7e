// SPDX-License-Identifier: Apache-2.0
// Memory of float4_e2m1fn, int4 and uint4: two values per byte, the one with the even index in the
// lower half.
// During elaboration buffers have the shapes that the user declared; then accesses are rewritten to
// bytes:
//   for i, j in parallel(32, 64): S[i, j] = e2m1(F[i, j])
//   for i, j in parallel(32, 32):
//     S[i, j] = bits(u8, e2m1(F[i, 2 * j])) | bits(u8, e2m1(F[i, 2 * j + 1])) << 4
// Each byte must be stored by one iteration of one block. A store by two of them is rejected:
// their read-modify-writes would lose updates (docs/adr/0022).
#pragma once

#include <unordered_map>

#include "core/diagnostics/diagnostics.h"
#include "core/elaborate/value.h"
#include "core/ir/stmt.h"
#include "core/support/function_ref.h"

namespace tilelab::elaborate {

/// Whether the buffer packs two elements per byte; thread-private memory uses a byte for each.
bool in_pairs(DType dtype, Scope scope);
inline bool in_pairs(const BufferInfo& buffer) { return in_pairs(buffer.dtype, buffer.scope); }
/// The dtype of such memory in the IR.
inline DType byte_type(DType dtype) { return dtype == DType::i4 ? DType::i8 : DType::u8; }
/// "int4: two elements share a byte".
std::string shares_bytes(const BufferInfo& buffer);
/// Bytes of that many elements.
Expr bytes_for(const Expr& elements);
/// The shape in bytes, with rows padded to whole bytes.
std::vector<Expr> shape_in_bytes(std::vector<Expr> shape);
/// Whether the expression is even for all values of its names; `lets`: known values of names.
bool always_even(const Expr& e, const std::unordered_map<Symbol, Expr>& lets);

using Buffers = std::unordered_map<Symbol, BufferRef>;
/// The kernel's body with byte accesses and without values of i4 and u4; `fresh` derives a new
/// name.
Stmt lower_half_bytes(const Kernel& kernel, const Buffers& buffers,
                      FunctionRef<Symbol(Symbol)> fresh, Diagnostics& diagnostics);

// Converts loops over four-bit elements in memory (half_bytes.h) to loops over bytes: one
// iteration does the work of two adjacent ones.

using Lets = std::unordered_map<Symbol, Expr>;

/// The location of an element: its byte, and its half if that is constant.
struct HalfPlace {
  Expr byte;
  std::optional<int64_t> half;
};
HalfPlace half_place(const Expr& index, const Lets& lets);

/// The four bits of a value, as an integer.
Expr code_of(const Expr& value);
Expr both_halves(const Expr& low, const Expr& high);

/// Unrolls by two every loop whose iterations store adjacent elements. Stores to both halves are
/// merged into a byte store.
Stmt halved_loops(const Stmt& body, const Buffers& buffers, const Lets& lets);

// Values of int4 and uint4 in registers: integers of eight bits that stay within four.
//   x = i4(y) * i4(3)  ->  x = i8(i8(y) << 4 >> 4) * 3 << 4 >> 4

/// The body with i8 in place of i4 and u8 in place of u4. Conversions and arithmetic wrap at four
/// bits, and floats saturate; a reduction accumulates in eight.
Stmt widened_integers(const Stmt& body);

}  // namespace tilelab::elaborate
