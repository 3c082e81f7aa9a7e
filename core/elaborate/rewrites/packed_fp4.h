// SPDX-License-Identifier: Apache-2.0
// Memory of float4_e2m1fn: two values per byte, the one with the even index in the lower half.
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
#include "core/support/function_ref.h"

namespace tilelab::elaborate {

/// Whether the buffer packs two elements per byte; thread-private memory uses a byte for each.
bool in_pairs(DType dtype, Scope scope);
inline bool in_pairs(const BufferInfo& buffer) { return in_pairs(buffer.dtype, buffer.scope); }
/// Bits per element in memory that is not thread-private.
inline int memory_bits(DType dtype) { return dtype == DType::e2m1 ? 4 : bits(dtype); }
/// Bytes of that many elements.
Expr bytes_for(const Expr& elements);
/// The shape in bytes, with rows padded to whole bytes.
std::vector<Expr> shape_in_bytes(std::vector<Expr> shape);
/// Whether the expression is even for all values of its names; `lets`: known values of names.
bool always_even(const Expr& e, const std::unordered_map<Symbol, Expr>& lets);

using Buffers = std::unordered_map<Symbol, BufferRef>;
/// The kernel's body with byte accesses; `fresh` derives a new name.
Stmt lower_packed_fp4(const Kernel& kernel, const Buffers& buffers,
                      FunctionRef<Symbol(Symbol)> fresh, Diagnostics& diagnostics);

}  // namespace tilelab::elaborate
