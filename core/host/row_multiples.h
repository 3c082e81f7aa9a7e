// SPDX-License-Identifier: Apache-2.0
// Variants of a function for calls whose rows are aligned. Copy engines, vectors and asynchronous
// copies need rows that start at multiples of 16 bytes. With dynamic extents only a call can know
// that, so a function has a variant for calls in which these extents are multiples of 16.
#pragma once

#include <vector>

#include "core/host/signature.h"

namespace tilelab::host {

/// Elements: 16 bytes of the narrowest common dtype, as Triton specializes arguments.
inline constexpr int64_t kRowMultiple = 16;

/// The dims on which strides of tensors depend, without those already declared as multiples.
std::vector<Symbol> row_dims(const Func& func);

/// Those of `rows` that are multiples in a call.
std::vector<Symbol> aligned_dims(const std::vector<Symbol>& rows, const Signature& signature,
                                 const Dims& dims);

/// The function for calls in which `names` are multiples of `multiple`; its host section checks it.
FuncRef with_multiples(const Func& func, const std::vector<Symbol>& names,
                       int64_t multiple = kRowMultiple);

}  // namespace tilelab::host
