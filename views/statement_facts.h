// SPDX-License-Identifier: Apache-2.0
// Memory traffic of the statements of a tile-level function, and their distribution over threads.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "core/ir/func.h"
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

}  // namespace tilelab
