// SPDX-License-Identifier: Apache-2.0
// What the statements of a function of tile level move, and how threads share them out.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "core/ir/func.h"
#include "views/models.h"

namespace tilelab {

/// By line of the source: what is moved or computed, the width of an access and why it is no wider,
/// the threads, the bank conflicts to expect. Statements without a place in `file` are left out.
std::map<int, std::vector<Reason>> statement_facts(const Func& func, FileId file);

/// Operations on numbers with a point in one call: two of each multiply-add of T.gemm, one of each
/// element that is reduced and of each sum, product and the like in a T.Parallel. Nothing where a
/// grid or a loop has no fixed extent.
std::optional<int64_t> operations_of(const Func& func);

/// "i0 % 16 * 8 + i1 // 4": how a layout's threads ('t'), registers ('r') or addresses ('a') follow
/// from the indices of an element.
std::string place_formula(const Layout& layout, char kind);

}  // namespace tilelab
