// SPDX-License-Identifier: Apache-2.0
// Memory of float4_e2m1fn: two values in a byte, the one of the even index in its lower half. While
// a kernel is elaborated its buffers have the shapes that the user gave them; then every access
// becomes one to bytes:
//   for i, j in parallel(32, 64): S[i, j] = e2m1(F[i, j])
//   for i, j in parallel(32, 32):
//     S[i, j] = bits(u8, e2m1(F[i, 2 * j])) | bits(u8, e2m1(F[i, 2 * j + 1])) << 4
// A byte is stored by one iteration of one block. What would need two of them is refused: each
// would read the byte, change its half and take back what the other has stored (docs/adr/0022).
#pragma once

#include <unordered_map>

#include "core/diagnostics/diagnostics.h"
#include "core/elaborate/value.h"
#include "core/support/function_ref.h"

namespace tilelab::elaborate {

/// Whether the buffer's elements lie two in a byte: memory of one thread has a byte for each.
bool in_pairs(DType dtype, Scope scope);
inline bool in_pairs(const BufferInfo& buffer) { return in_pairs(buffer.dtype, buffer.scope); }
/// How many bits of memory an element takes that others see.
inline int memory_bits(DType dtype) { return dtype == DType::e2m1 ? 4 : bits(dtype); }
/// Bytes of so many elements.
Expr bytes_for(const Expr& elements);
/// The shape in bytes, rows padded to whole ones.
std::vector<Expr> shape_in_bytes(std::vector<Expr> shape);
/// Whether all values of the names in it make it even; `lets`: of names, where they are known.
bool always_even(const Expr& e, const std::unordered_map<Symbol, Expr>& lets);

using Buffers = std::unordered_map<Symbol, BufferRef>;
/// The kernel's body with accesses to bytes; `fresh` gives a name near another one.
Stmt with_pairs(const Kernel& kernel, const Buffers& buffers, FunctionRef<Symbol(Symbol)> fresh,
                Diagnostics& diagnostics);

}  // namespace tilelab::elaborate
