// SPDX-License-Identifier: Apache-2.0
// The tensors whose memory a kernel's code assumes to be separate.
#pragma once

#include <cstddef>
#include <set>
#include <utility>
#include <vector>

#include "core/ir/func.h"

namespace tilelab::host {

/// The tensors that kernels of the function store to, according to its host section.
std::set<Symbol> written_tensors(const Func& func);

/// Pairs of parameters, (read, written): the generated code assumes that what the kernel writes
/// through the second does not change the first, which it only reads (`__restrict__`). None on the
/// CPU, and none with a tensor of T.annotate_restrict_buffers.
std::vector<std::pair<size_t, size_t>> separate_tensors(const Func& func);

}  // namespace tilelab::host
