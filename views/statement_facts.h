// SPDX-License-Identifier: Apache-2.0
// Memory traffic of the statements of a tile-level function, and their distribution over threads.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/ir/func.h"
#include "core/ir/stmt.h"
#include "core/layout/banks.h"
#include "views/models.h"

namespace tilelab {

/// By source line: traffic or operations, the width of an access and why it is not wider, the
/// threads, the expected bank conflicts. Omits statements without a location in `file`.
std::map<int, std::vector<Reason>> statement_facts(const Func& func, FileId file);

/// Floating-point operations in one call: two per multiply-add of T.gemm, one per reduced element
/// and per sum, product and so on in a T.Parallel. Nullopt if a grid or loop has a dynamic extent.
std::optional<int64_t> operations_of(const Func& func);

/// "i0 % 16 * 8 + i1 // 4": a layout's threads ('t'), registers ('r') or addresses ('a') as a
/// function of the indices of an element.
std::string place_formula(const Layout& layout, char kind);

// The cost of a warp's accesses to shared memory, computed from a kernel's layouts without running
// it.

/// Consecutive accesses of a warp.
using WarpAccesses = std::vector<std::vector<LaneAccess>>;

/// Accesses of element `index` of `buffer` by the first warp's first iterations of the loop, other
/// names being 0. Contiguous elements of a lane are one access; each element of a column is one.
/// Empty if unknown.
WarpAccesses warp_accesses(const Parallel& loop, const Buffer& buffer,
                           const std::vector<Expr>& index, int64_t lanes);

/// ": accesses of a warp have no bank conflicts (4 cycles)"; empty without accesses.
std::string conflicts_text(const WarpAccesses& accesses, const BankModel& banks);

}  // namespace tilelab
