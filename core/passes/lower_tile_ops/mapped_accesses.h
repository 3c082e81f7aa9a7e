// SPDX-License-Identifier: Apache-2.0
// Layouts without digits, written into the accesses: the end of lower_tile_ops.
#pragma once

#include "core/ir/stmt.h"
#include "core/ir/traverse.h"

namespace tilelab {

/// The indices in `buffer` of an element that goes by the buffer's name or by that of a view of it,
/// which sees other dimensions: both count row by row.
std::vector<Expr> in_buffer(Symbol name, const Buffer& buffer, const BufferViews& views,
                            std::vector<Expr> index);

/// A thread's program in which shared buffers whose elements lie by expressions (`where`) have
/// become rows of memory, and each access of one or of its views names the place in them:
///   s[i, j]   with   where=lambda i, j: [i * 32 + (i + j) % 32]   ->   s[i * 32 + (i + j) % 32]
Stmt at_their_places(const Stmt& body);

}  // namespace tilelab
