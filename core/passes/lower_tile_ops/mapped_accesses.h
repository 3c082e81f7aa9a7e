// SPDX-License-Identifier: Apache-2.0
// Applies layouts without digits to accesses: the last step of lower_tile_ops.
#pragma once

#include "core/ir/stmt.h"
#include "core/ir/traverse.h"

namespace tilelab {

/// Converts the index of an element, by the name of the buffer or of a view with another shape, to
/// indices of the buffer; both are row-major.
std::vector<Expr> in_buffer(Symbol name, const Buffer& buffer, const BufferViews& views,
                            std::vector<Expr> index);

/// Linearizes shared buffers whose layout is given by expressions (`where`) in a thread's program,
/// and rewrites the index of each access to them or their views:
///   s[i, j]   with   where=lambda i, j: [i * 32 + (i + j) % 32]   ->   s[i * 32 + (i + j) % 32]
Stmt apply_mapped_layouts(const Stmt& body);

}  // namespace tilelab
